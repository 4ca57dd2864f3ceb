import { RegistryRecordSchema, TOPICS, type RegistryRecord } from '@sentinel-node/contracts';
import {
  decodeRegistryBody,
  type EventLog,
  type Log,
  type RecordBatch,
  type Subscription,
} from '@sentinel-node/platform';
import { Compile } from 'typebox/compile';
import type { DeviceCache } from './device-cache.ts';

const records = Compile(RegistryRecordSchema);

/** Next offset of each partition. */
type Ends = ReadonlyMap<number, number>;

interface Waiting {
  readonly ends: Ends;
  readonly settle: (isCaughtUp: boolean) => void;
}

/**
 * Follows the registry topic and tells the cache of every change of a device.
 * @boundedBy the partitions of the registry
 */
export class RegistryFollower {
  readonly #eventLog: EventLog;
  readonly #cache: DeviceCache;
  readonly #log: Log;
  #subscription: Subscription | undefined;
  #consumedOffsets = new Map<number, number>();
  #waiting: Waiting | undefined;

  constructor(eventLog: EventLog, cache: DeviceCache, log: Log) {
    this.#eventLog = eventLog;
    this.#cache = cache;
    this.#log = log;
  }

  /** False before `start` and after the subscription failed; then the cache cannot be trusted. */
  get isFollowing(): boolean {
    return this.#subscription !== undefined;
  }

  /** Follows the topic from its current end, with an empty cache. */
  async start(): Promise<void> {
    const consumedOffsets = new Map<number, number>();
    for (const { partition, end } of await this.#eventLog.bounds(TOPICS.registry))
      consumedOffsets.set(partition, end);
    this.#consumedOffsets = consumedOffsets;
    const subscription = await this.#eventLog.tail(TOPICS.registry, consumedOffsets, (batch) =>
      this.#take(batch),
    );
    this.#cache.clear();
    this.#subscription = subscription;
    subscription.failed.catch((error: unknown) => {
      this.#end();
      this.#cache.clear();
      this.#log.error({ err: error }, 'following the registry ended');
    });
  }

  async stop(): Promise<void> {
    const subscription = this.#subscription;
    this.#end();
    await subscription?.stop();
  }

  /** Resolves with true once the topic is consumed up to its current end; with false when following ends first. */
  async catchUp(): Promise<boolean> {
    const bounds = await this.#eventLog.bounds(TOPICS.registry);
    const ends = new Map(bounds.map(({ partition, end }) => [partition, end]));
    if (!this.isFollowing || this.#hasConsumed(ends)) return this.isFollowing;
    return new Promise((settle) => (this.#waiting = { ends, settle }));
  }

  #hasConsumed(ends: Ends): boolean {
    return [...ends].every(([partition, end]) => (this.#consumedOffsets.get(partition) ?? 0) >= end);
  }

  #end(): void {
    this.#subscription = undefined;
    this.#settle(false);
  }

  #settle(isCaughtUp: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.settle(isCaughtUp);
  }

  #take(batch: RecordBatch): void {
    for (const { body, offset } of batch.records) {
      const record = readRecord(body);
      if (record === undefined) {
        // The cache may be older than this record, so every device is read from the store again.
        this.#cache.clear();
        this.#log.error(
          { topic: batch.topic, partition: batch.partition, offset },
          'registry record unreadable',
        );
      } else if (record.entity.kind === 'DEVICE') this.#cache.update(record.entity, record.version);
    }
    this.#consumedOffsets.set(batch.partition, batch.records.at(-1)!.offset + 1);
    if (this.#waiting !== undefined && this.#hasConsumed(this.#waiting.ends)) this.#settle(true);
  }
}

function readRecord(body: Uint8Array): RegistryRecord | undefined {
  try {
    const value = decodeRegistryBody(body);
    return records.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
