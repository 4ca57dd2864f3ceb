/** Tests a client over its quota for writing or for requests: it is slower, and nothing is lost. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import { setClientQuota, startKafka } from '@sentinel-node/test-kit/test-servers';
import type { ClientQuota } from '@sentinel-node/test-kit/test-servers';
import { lost, readAll, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

const RECORDS = 1_500;
const AT_ONCE = 100;
const BODY = new Uint8Array(600).fill(120);

const kafka = await startKafka(t);
if (kafka !== undefined) {
  const { brokers } = kafka;
  t.jobs = 2;
  const quotas: Readonly<Record<string, ClientQuota>> = {
    'bytes written': { producer_byte_rate: 200_000 },
    'time of requests': { request_percentage: 0.5 },
  };
  for (const [name, quota] of Object.entries(quotas))
    t.test(`under a quota of ${name} all that is acknowledged is kept, and consumed`, async (t) => {
      const spec = topic(2);
      const clientId = `quota-${randomUUID()}`;
      await createTopics({ brokers: brokers.split(',') }, [spec], { replicationFactor: 1 });
      await setClientQuota(brokers, clientId, quota);
      const log = await openKafkaEventLog({ brokers: brokers.split(','), topics: [spec], clientId });
      t.teardown(() => log.close());
      const consumed = new Set<string>();
      const group = await log.consume([spec.name], randomUUID(), async ({ records }) => {
        for (const { id } of records) consumed.add(id);
      });
      const acknowledged: string[] = [];
      let refused = 0;
      for (let from = 0; from < RECORDS;) {
        const ids = Array.from({ length: AT_ONCE }, (_, n) => `${from + n}`);
        try {
          await log.append(
            spec.name,
            ids.map((id) => ({ key: id, id, body: BODY })),
          );
          acknowledged.push(...ids);
          from += AT_ONCE;
        } catch (error) {
          // A refusal is correct here: the caller answers 503, and the agent sends again.
          t.match(error, { code: 'NOT_DURABLE' });
          refused++;
        }
      }
      t.comment(`${refused} appends were refused`);
      t.strictSame(
        lost(
          acknowledged,
          (await readAll(log, spec)).map(({ id }) => id),
        ),
        [],
      );
      await until('all is consumed', () => consumed.size === RECORDS);
      await group.stop();
      t.equal(consumed.size, RECORDS);
    });
}
