/** Kafka and MongoDB go away, come back, and hang, while reports come in. */
import type { Test } from 'tap';
import type { Cluster } from './support/cluster.ts';
import { faults } from './support/faults.ts';
import type { Load } from './support/load.ts';
import { SERVICES } from './support/service-process.ts';

/** Answered between two faults. */
const REPORTS = 60;

/** Every service says that it is not ready, and is again some time after `heal`. */
async function outage(
  t: Test,
  cluster: Cluster,
  load: Load,
  hurt: () => unknown,
  heal: () => unknown,
): Promise<void> {
  await hurt();
  const services = SERVICES.map((name) => cluster.of(name));
  const shown = await Promise.all(services.map((service) => service.ready(503)));
  t.comment(`/readyz answers 503 after ${shown.map(Math.round).join(', ')} ms`);
  const taken = load.answered;
  await heal();
  const back = await Promise.all(services.map((service) => service.ready()));
  t.comment(`and 200 after ${back.map(Math.round).join(', ')} ms`);
  await load.flows(1);
  t.ok(load.answered > taken, 'reports are taken again');
  t.comment(`all is read after ${Math.round(await load.isRead())} ms more`);
  t.ok(
    services.every(({ child }) => child.end() === undefined),
    'no service ended',
  );
}

faults(
  'Kafka and MongoDB away under load',
  ({ kafka, mongo }) => ({
    env: { SENTINEL_KAFKA_BROKERS: kafka.proxied, SENTINEL_MONGODB_URL: mongo.proxied },
  }),
  async ({ cluster, load, random, fault }) => {
    const { kafka, mongo } = cluster.servers;
    for (const [name, server] of [
      ['Kafka', kafka],
      ['MongoDB', mongo],
    ] as const) {
      const away = async (title: string, hurt: () => unknown, heal: () => unknown): Promise<void> =>
        fault(`${name}: ${title}`, async (t) => {
          await load.flows(random(REPORTS));
          await outage(t, cluster, load, hurt, heal);
        });
      await away(
        'stopped and started',
        () => server.halt(),
        () => server.restart(),
      );
      await away(
        'killed and started',
        () => server.kill(),
        () => server.restart(),
      );
      await away(
        'hangs',
        () => server.proxy.hang(),
        () => server.proxy.resume(),
      );
      await fault(`${name}: connections that hang for ever`, async (t) => {
        await load.flows(random(REPORTS));
        server.proxy.strand();
        await load.flows(REPORTS);
        t.comment(`all is read after ${Math.round(await load.isRead())} ms`);
      });
    }
  },
);
