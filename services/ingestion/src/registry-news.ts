import { RegistryRecordSchema, TOPICS, type RegistryRecord } from '@sentinel-node/contracts';
import type { EventLog, Log, RecordBatch, Subscription } from '@sentinel-node/platform';
import { Compile } from 'typebox/compile';
import type { PolicyCache } from './policy-cache.ts';

const records = Compile(RegistryRecordSchema);
const decoder = new TextDecoder();

/** Next offset of each partition. */
type Ends = ReadonlyMap<number, number>;

interface Waiting {
  readonly ends: Ends;
  readonly settle: (heard: boolean) => void;
}

/** Follows the registry topic and tells the cache of every change of a device. */
export class RegistryNews {
  readonly #eventLog: EventLog;
  readonly #cache: PolicyCache;
  readonly #log: Log;
  #subscription: Subscription | undefined;
  #heard = new Map<number, number>();
  #waiting: Waiting | undefined;

  constructor(eventLog: EventLog, cache: PolicyCache, log: Log) {
    this.#eventLog = eventLog;
    this.#cache = cache;
    this.#log = log;
  }

  /** False before `start`, and when following failed: then nothing kept can be trusted. */
  get following(): boolean {
    return this.#subscription !== undefined;
  }

  /** From the end on, with nothing kept of what was before. */
  async start(): Promise<void> {
    const heard = new Map<number, number>();
    for (const { partition, end } of await this.#eventLog.bounds(TOPICS.registry)) heard.set(partition, end);
    this.#heard = heard;
    const subscription = await this.#eventLog.tail(TOPICS.registry, heard, (batch) => this.#take(batch));
    this.#cache.clear();
    this.#subscription = subscription;
    subscription.failed.catch((error: unknown) => {
      this.#end();
      this.#cache.clear();
      this.#log.error({ err: error }, 'registry news ended');
    });
  }

  async stop(): Promise<void> {
    const subscription = this.#subscription;
    this.#end();
    await subscription?.stop();
  }

  /** True once everything before the present end of the topic was heard; false when following ended before. */
  async hearAll(): Promise<boolean> {
    const bounds = await this.#eventLog.bounds(TOPICS.registry);
    const ends = new Map(bounds.map(({ partition, end }) => [partition, end]));
    if (!this.following || this.#hasHeard(ends)) return this.following;
    return new Promise((settle) => (this.#waiting = { ends, settle }));
  }

  #hasHeard(ends: Ends): boolean {
    return [...ends].every(([partition, end]) => (this.#heard.get(partition) ?? 0) >= end);
  }

  #end(): void {
    this.#subscription = undefined;
    this.#settle(false);
  }

  #settle(heard: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.settle(heard);
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
    this.#heard.set(batch.partition, batch.records.at(-1)!.offset + 1);
    if (this.#waiting !== undefined && this.#hasHeard(this.#waiting.ends)) this.#settle(true);
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
