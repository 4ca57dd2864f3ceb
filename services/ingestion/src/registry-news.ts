import { RegistryRecordSchema, TOPICS, type RegistryRecord } from '@sentinel-node/contracts';
import type { EventLog, Log, RecordBatch, Subscription } from '@sentinel-node/platform';
import { Compile } from 'typebox/compile';
import type { PolicyCache } from './policy-cache.ts';

const records = Compile(RegistryRecordSchema);
const decoder = new TextDecoder();

/** Follows the registry topic and tells the cache of every change of a device. */
export class RegistryNews {
  readonly #eventLog: EventLog;
  readonly #cache: PolicyCache;
  readonly #log: Log;
  #subscription: Subscription | undefined;

  constructor(eventLog: EventLog, cache: PolicyCache, log: Log) {
    this.#eventLog = eventLog;
    this.#cache = cache;
    this.#log = log;
  }

  /** False before `start`, and when following failed: then nothing kept can be trusted. */
  get following(): boolean {
    return this.#subscription !== undefined;
  }

  async start(): Promise<void> {
    const subscription = await this.#eventLog.tail(TOPICS.registry, 'end', (batch) => this.#take(batch));
    this.#subscription = subscription;
    subscription.failed.catch((error: unknown) => {
      this.#subscription = undefined;
      this.#cache.clear();
      this.#log.error({ err: error }, 'registry news ended');
    });
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
    this.#subscription = undefined;
  }

  #take(batch: RecordBatch): void {
    for (const { body, offset } of batch.records) {
      const record = readRecord(body);
      if (record === undefined) {
        // Whatever it says, what is kept may be older than it: everything is read from the store again.
        this.#cache.clear();
        this.#log.error(
          { topic: batch.topic, partition: batch.partition, offset },
          'registry record unreadable',
        );
      } else if (record.entity.kind === 'DEVICE') this.#cache.learn(record.entity, record.version);
    }
  }
}

function readRecord(body: Uint8Array): RegistryRecord | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(body));
    return records.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
