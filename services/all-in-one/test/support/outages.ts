/** Outages of a server under load: the server ends, restarts, and hangs. */
import { setTimeout as pause } from 'node:timers/promises';
import type { OwnServer } from '@sentinel-node/test-kit/test-servers';
import type { Test } from 'tap';
import type { Servers } from './cluster.ts';
import type { Faulty } from './faults.ts';
import { SERVICES } from './service-process.ts';

/** Settings of the services, with which an outage outlasts every call after less time. */
export const OUTAGE_ENV = { SENTINEL_TEST_TRIED_MS: '4000' };
/** Long outage, in ms: longer than any deadline of a call in `preload-quick.ts` with these settings. */
const LONG_MS = 6_000;
/** Most reports answered between two faults. */
const REPORTS = 25;

/** Tests the outages of a server. Every service reaches it through a proxy. */
export async function outages(given: Faulty, name: string, which: keyof Servers): Promise<void> {
  const { cluster, load, random, fault } = given;
  const server = cluster.servers[which];
  const away = (title: string, outage: Outage): Promise<void> =>
    fault(`${name}: ${title}`, async (t) => {
      await load.flows(random(REPORTS));
      await during(t, given, outage);
    });
  const heal = (): Promise<void> => server.restart();
  await away('stopped, and started after a while', { hurt: () => server.halt(), ms: LONG_MS, heal });
  await away('killed and started at once', { hurt: () => server.kill(), ms: 0, heal });
  await away('a network that hangs for a while', hanging(server));
  await fault(`${name}: connections that hang for ever`, async (t) => {
    await load.flows(random(REPORTS));
    server.proxy.strand();
    await load.flows(REPORTS);
    t.comment(`all is read after ${Math.round(await load.isRead())} ms`);
  });
}

interface Outage {
  readonly hurt: () => Promise<void> | void;
  readonly ms: number;
  readonly heal: () => Promise<void> | void;
}

const hanging = ({ proxy }: OwnServer): Outage => ({
  hurt: () => proxy.hang(),
  ms: LONG_MS,
  heal: () => proxy.resume(),
});

/**
 * Checks that every service reports itself not ready during the outage, and ready again and working after it.
 */
async function during(t: Test, { cluster, load }: Faulty, { hurt, ms, heal }: Outage): Promise<void> {
  await hurt();
  const services = SERVICES.map((name) => cluster.of(name));
  const shown = await Promise.all(services.map((service) => service.ready(503)));
  t.comment(`/readyz answers 503 after ${shown.map(Math.round).join(', ')} ms`);
  const statuses = await Promise.all(services.map(({ url }) => statusOf(`${url}/healthz`)));
  t.same(new Set(statuses), new Set([200]), '/healthz does not: nothing has to be started again');
  await pause(ms);
  await heal();
  const back = await Promise.all(services.map((service) => service.ready()));
  t.comment(`and 200 after ${back.map(Math.round).join(', ')} ms`);
  await load.flows(1);
  t.comment(`all is read after ${Math.round(await load.isRead())} ms more`);
  t.ok(
    services.every(({ child }) => child.end() === undefined),
    'no service ended',
  );
}

async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  return answer.status;
}
