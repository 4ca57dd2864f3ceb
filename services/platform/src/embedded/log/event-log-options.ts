import type { EventLog, TopicSpec } from '../../ports/event-log.ts';
import type { DataFolder } from '../data-folder.ts';
import type { FatalHandler } from '../worker-channel.ts';
import { BATCH_BYTES } from './cursor.ts';

/** Defaults of `openEmbeddedEventLog`; bytes, records, milliseconds. */
export const EVENT_LOG_LIMITS = {
  unflushedBytes: 64 * 1_048_576,
  tailCacheBytes: 32 * 1_048_576,
  tailCacheRecords: 20_000,
  /** Bytes of one volatile topic. */
  volatileBytes: 16 * 1_048_576,
  volatileRecords: 50_000,
  /** Bytes of the page cache of each of the two connections. */
  pageCacheBytes: 16 * 1_048_576,
  batchRecords: 1_000,
  batchBytes: BATCH_BYTES,
  /** A partition of a compacted topic is compacted at boot and after this many new records. */
  compactionRecords: 10_000,
  /** Milliseconds that a member of a group may keep a batch after its partition was assigned to another member. */
  handoverMs: 60_000,
} as const;

export interface EmbeddedEventLogOptions {
  readonly folder: DataFolder;
  readonly topics: readonly TopicSpec[];
  /**
   * Limit for the file in bytes; appends beyond it are refused with NotDurableError. Default: only the disk limits the
   * file.
   */
  readonly maxBytes?: number;
  readonly limits?: Partial<Record<keyof typeof EVENT_LOG_LIMITS, number>>;
  /** Handles an I/O error or a crash of a thread. Default: writes one line and ends the process. */
  readonly onFatal?: FatalHandler;
}

export interface EmbeddedEventLog extends EventLog {
  /** Changes `maxBytes`, with immediate effect. */
  limitBytes(maxBytes: number): Promise<void>;
  /** Returns the bytes that are appended but not yet durable; for metrics. */
  unflushedBytes(): number;
  /** Returns whether the newest appends were refused because the disk, or the file's limit, is full; for readiness. */
  isFull(): boolean;
}

export type EventLogLimits = Record<keyof typeof EVENT_LOG_LIMITS, number>;
