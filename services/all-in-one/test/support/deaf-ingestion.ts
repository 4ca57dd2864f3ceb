/**
 * Tests an ingestion process without news of the registry, and one whose broker has no room, beside a working
 * one.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Change } from '@sentinel-node/contracts';
import type { Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { call, type Answer } from './client.ts';
import type { Faulty } from './faults.ts';
import { KafkaWire } from './kafka-wire.ts';
import { addFiles, deviceOf, version, type Version } from './reporter.ts';
import { alertsOnce, linksOnce } from './scene.ts';
import { until } from './until.ts';

/** Longest time until a key has ended everywhere, in ms. */
const REVOKED_MS = 5_000;
/** Number of reports sent with the old key after that. */
const LOOKS = 5;
const LOOK_MS = 200;
const A = version('first state');
const B = version('second state');

export async function deafIngestion({ t, cluster, admin, load, fault }: Faulty): Promise<void> {
  const { kafka, mongo } = cluster.servers;
  const wire = await KafkaWire.open(t, kafka.proxyTarget);
  kafka.proxy.forwardTo(wire.port);
  const deaf = cluster.add('ingestion', {
    SENTINEL_KAFKA_BROKERS: kafka.proxied,
    SENTINEL_MONGODB_URL: mongo.proxied,
  });
  await deaf.start();
  const agent = await deviceOf(admin, { name: 'Watched' });
  const { file = '', policed = '' } = await addFiles(agent, { file: {}, policed: {} });
  let { apiKey } = agent;

  /** Sends a report to that process alone. */
  const send = (key: string, fileId: string, change: Change, ...versions: Version[]): Promise<Answer> => {
    const report = {
      sequence: agent.nextSequence(),
      timestamp: new Date().toISOString(),
      change,
      versions,
    };
    const path = `/api/v1/files/${agent.path}/${fileId}`;
    return call({ url: deaf.url ?? '' }, 'POST', path, report, { 'x-api-key': key });
  };
  const look = (key: string): Promise<Answer> => send(key, file, 'UNCHANGED', A);
  const isTaken = (): Promise<true> =>
    until('a report is taken', async () => ((await look(apiKey)).status === 202 ? true : undefined));

  /**
   * Ends the key after `hurt` and checks that five seconds later every report with the key is refused: by its key, or because
   * nothing can be known or kept. @returns the key that ended
   */
  async function ends(t: Test, hurt: () => void): Promise<string> {
    const old = apiKey;
    t.equal((await look(old)).status, 202, 'known there');
    hurt();
    apiKey = (await admin.done('POST', `/devices/key/${agent.path}`, { now: true })).apiKey as string;
    await pause(REVOKED_MS);
    const looks = Array.from({ length: LOOKS }, async (_, n) => {
      await pause(n * LOOK_MS);
      return (await look(old)).status;
    });
    const statuses = await Promise.all(looks);
    const isRefused = statuses.every((status) => status === 401 || status === 503);
    t.ok(isRefused, `401 or 503: ${statuses.join(' ')}`);
    return old;
  }
  /** After the fault, an unavailable part is no reason any more: the key alone is. */
  const isKnownToHaveEnded = async (t: Test, old: string): Promise<void> => {
    t.match(await look(old), { status: 401, body: { code: 'INVALID_API_KEY' } }, 'the key has ended');
    t.equal((await look(apiKey)).status, 202, 'the new key works');
  };

  t.equal((await send(apiKey, file, 'FIRST', A)).status, 202);
  t.equal((await send(apiKey, policed, 'FIRST', A)).status, 202);

  await fault('a key ends while nothing is heard, and reports can still be kept', async (t) => {
    const old = await ends(t, () => (wire.isDeaf = true));
    await isKnownToHaveEnded(t, old);
  });

  await fault('a policy changes while nothing is heard', async (t) => {
    const { files } = await admin.done('GET', `/devices/${agent.path}`);
    const found = (files as { id: string }[]).find(({ id }) => id === policed);
    await admin.done('PUT', `/devices/files/${agent.path}`, { files: [{ ...found, modifiable: false }] });
    await pause(REVOKED_MS);
    t.equal((await send(apiKey, policed, 'REPLACED', A, B)).status, 202);
    await linksOnce(agent, policed, 2);
    matchList(
      t,
      await alertsOnce(agent, policed),
      [{ type: 'UNEXPECTED_CHANGE' }],
      'judged by the new policy',
    );
    wire.isDeaf = false;
  });

  await fault('a key ends while the connections to the broker hang', async (t) => {
    const old = await ends(t, () => kafka.proxy.hang());
    kafka.proxy.resume();
    await isTaken();
    await isKnownToHaveEnded(t, old);
  });

  await fault('a key ends while nothing is heard and the store hangs', async (t) => {
    const old = await ends(t, () => {
      wire.isDeaf = true;
      mongo.proxy.hang();
    });
    mongo.proxy.resume();
    wire.isDeaf = false;
    await isTaken();
    await isKnownToHaveEnded(t, old);
  });

  await fault('a broker without room', async (t) => {
    wire.isFull = true;
    const refused = await look(apiKey);
    t.match(refused, { status: 503, body: { code: 'NOT_DURABLE' } });
    t.ok(Number(refused.headers.get('retry-after')) >= 1, 'Retry-After');
    wire.isFull = false;
    await isTaken();
  });
  await load.isRead();
}
