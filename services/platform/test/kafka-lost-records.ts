/**
 * Shows kafkajs #1005: concurrent idempotent sends that resolve although their records vanish; the adapter's do not.
 */
import kafkajs from 'kafkajs';
import type { Producer } from 'kafkajs';
import type { Test } from 'tap';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import type { EventLog } from '../src/ports/event-log.ts';
import type { OwnKafka } from '@sentinel-node/test-kit/test-servers';
import { Load, lost, openLog, readAll, record, topic, until } from './kafka-harness.ts';

const ROUNDS = 10;
/** Time in which the race of bare kafkajs has to show, in ms; usually it shows in the first rounds. */
const RACE_MS = 300_000;
const SENDS = 20;

/**
 * Lets the broker store the first batch and ends the connection before its answer; the running sends are tried again.
 * @returns ids whose send resolved
 */
async function cutInTheMiddle(
  kafka: OwnKafka,
  direct: EventLog,
  name: string,
  send: (id: string) => Promise<unknown>,
  round: number,
): Promise<string[]> {
  const end = async () => (await direct.bounds(name))[0]!.end;
  await send(`${round}-first`);
  const before = await end();
  kafka.proxy.holdAnswers();
  const ids = Array.from({ length: SENDS }, (_, n) => `${round}-${n}`);
  const sends = ids.map(async (id) => {
    await send(id);
    return id;
  });
  await until('the first batch', async () => (await end()) > before);
  kafka.proxy.cut();
  kafka.proxy.resume();
  const settled = await Promise.allSettled(sends);
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

function bareProducer(brokers: string): Producer {
  const kafka = new kafkajs.Kafka({ brokers: [brokers], logLevel: kafkajs.logLevel.NOTHING });
  return kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: () => () => 0,
    retry: { retries: 10, initialRetryTime: 50 },
  });
}

export async function losesNoRecord(t: Test, kafka: OwnKafka): Promise<void> {
  await t.test('bare kafkajs resolves sends whose records are not there', async (t) => {
    const spec = topic(1);
    const direct = await openLog(t, kafka.brokers, [spec]);
    const producer = bareProducer(kafka.proxied);
    await producer.connect();
    const send = (id: string) =>
      producer.send({ topic: spec.name, acks: -1, messages: [{ key: id, value: id, headers: { id } }] });
    let vanished: string[] = [];
    let rounds = 0;
    const deadline = Date.now() + RACE_MS;
    for (let round = 0; vanished.length === 0 && Date.now() < deadline; round++) {
      rounds = round + 1;
      const resolved = await cutInTheMiddle(kafka, direct, spec.name, send, round);
      const found = await readAll(direct, spec);
      vanished = lost(
        resolved,
        found.map(({ id }) => id),
      );
    }
    await producer.disconnect();
    t.ok(vanished.length > 0, 'a send resolved, its record vanished');
    t.comment(`vanished in round ${rounds}: ${vanished.join(', ')}`);
  });

  await t.test('the adapter loses nothing when the connection ends between batch and answer', async (t) => {
    const spec = topic(1);
    const direct = await openLog(t, kafka.brokers, [spec]);
    const log = await openKafkaEventLog({ brokers: [kafka.proxied], topics: [spec] });
    t.teardown(() => log.close());
    let resolved: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const send = (id: string) => log.append(spec.name, [record(id)]);
      resolved = [...resolved, ...(await cutInTheMiddle(kafka, direct, spec.name, send, round))];
    }
    const found = await readAll(direct, spec);
    t.equal(resolved.length, ROUNDS * SENDS, 'all were acknowledged');
    t.same(
      lost(
        resolved,
        found.map(({ id }) => id),
      ),
      [],
    );
  });

  await t.test(
    'thousands of concurrent appends are all read back, the broker killed in their middle',
    async (t) => {
      const spec = topic(6);
      const log = await openLog(t, kafka.brokers, [spec], { limits: { appendTimeoutMs: 60_000 } });
      const load = new Load(log, spec.name, 500);
      await until('1,500 appends', () => load.acknowledged.length >= 1_500);
      await kafka.kill();
      await kafka.restart();
      const before = load.acknowledged.length;
      await until('1,500 more', () => load.acknowledged.length >= before + 1_500);
      await load.end();
      const found = await readAll(log, spec);
      t.same(
        lost(
          load.acknowledged,
          found.map(({ id }) => id),
        ),
        [],
      );
      t.comment(
        `${load.acknowledged.length} acknowledged, ${load.refused} refused, ${found.length} in the log`,
      );
    },
  );

  await t.test('topics that are missing are named', async (t) => {
    const made = topic(1);
    const missing = topic(1);
    await createTopics({ brokers: [kafka.brokers] }, [made], { replicationFactor: 1 });
    await t.rejects(openKafkaEventLog({ brokers: [kafka.brokers], topics: [made, missing] }), {
      code: 'TOPIC_MISSING',
      message: new RegExp(missing.name),
    });
  });
}
