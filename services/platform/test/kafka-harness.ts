import { settingsOf } from '../src/kafka/topics.ts';
import { until } from './until.ts';
import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import type { Test } from 'tap';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import type { KafkaEventLog, KafkaLimits } from '../src/kafka/index.ts';
import { silentLog, type Log } from '../src/logging/log.ts';
import type { EventLog, LogRecord, StoredRecord, TopicSpec } from '../src/ports/event-log.ts';

export { until };

export function topic(partitions: number): TopicSpec {
  return { name: `test.${randomUUID()}`, partitions, retention: 'forever' };
}

export function record(id: string, key = id): LogRecord {
  return { key, id, body: new TextEncoder().encode(id) };
}

/** Creates the topic on `direct` and opens a log on it through `brokers`; closed in the teardown. */
export async function openLog(
  t: Test,
  brokers: string,
  topics: readonly TopicSpec[],
  options: {
    readonly direct?: string;
    readonly limits?: Partial<KafkaLimits>;
    readonly ownThread?: boolean;
    readonly log?: Log;
  } = {},
): Promise<KafkaEventLog> {
  await createTopics({ brokers: [options.direct ?? brokers] }, topics, { replicationFactor: 1 });
  const { limits = {}, log: told = silentLog(), ownThread = false } = options;
  const log = await openKafkaEventLog({ brokers: [brokers], topics, limits, ownThread, log: told });
  t.teardown(() => log.close());
  return log;
}

/** Returns an admin of the broker, with a password where `sasl` says so; disconnected in the teardown. */
export async function adminOf(t: Test, brokers: string, sasl?: kafkajs.SASLOptions): Promise<kafkajs.Admin> {
  const admin = new kafkajs.Kafka({
    brokers: brokers.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
    ...(sasl !== undefined && { sasl }),
  }).admin();
  await admin.connect();
  t.teardown(() => admin.disconnect());
  return admin;
}

/** Gives a topic these settings alone, and waits until the broker has applied them. */
export async function setTopic(
  admin: kafkajs.Admin,
  spec: TopicSpec,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  await admin.alterConfigs({ validateOnly: false, resources: [{ type, name: spec.name, configEntries }] });
  await until('the broker has applied the settings', async () => {
    const found = (await settingsOf(admin, [spec])).get(spec.name);
    return Object.entries(settings).every(([name, value]) => found?.[name] === value);
  });
}

export async function readAll(log: EventLog, { name, partitions }: TopicSpec): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for (let partition = 0; partition < partitions; partition++)
    for await (const batch of log.read(name, partition, 0)) found.push(...batch.records);
  return found;
}

/** Appends records one by one from several sides until it is ended, and keeps the acknowledged ids. */
export class Load {
  readonly acknowledged: string[] = [];
  refused = 0;
  readonly #running: Promise<void>[];
  #ended = false;

  constructor(log: EventLog, topicName: string, sides = 20) {
    this.#running = Array.from({ length: sides }, async (_, side) => {
      for (let n = 0; !this.#ended; n++) {
        const id = `${side}-${n}`;
        try {
          await log.append(topicName, [record(id, `key-${side}`)]);
          this.acknowledged.push(id);
        } catch {
          this.refused++;
        }
      }
    });
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#running);
  }
}

/** Returns the acknowledged ids that are missing. */
export function lost(acknowledged: readonly string[], found: Iterable<string>): string[] {
  const there = new Set(found);
  return acknowledged.filter((id) => !there.has(id));
}
