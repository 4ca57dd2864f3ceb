import type { DocumentStore } from '../../ports/document-store.ts';
import type { DataFolder } from '../data-folder.ts';
import type { FatalHandler } from '../worker-channel.ts';

/** Defaults of `openEmbeddedDocumentStore`. */
export const DOCUMENT_STORE_LIMITS = {
  pendingCalls: 10_000,
  pendingBytes: 64 * 1_048_576,
  /** Bytes of the page cache of the writing connection. With 10,000 files 64 MiB are no faster (bench -- pipeline). */
  writeCacheBytes: 16 * 1_048_576,
  /**
   * Bytes of the page cache of each reading connection; the operating system caches the file as well. A long read
   * fills the whole cache (measured: with 16 MiB an export takes 12 MiB more).
   */
  readCacheBytes: 4 * 1_048_576,
  /**
   * Approximate size at which the write-ahead log is copied into the file. Until then, random index pages are written
   * many times and copied once, which halves the cost of a document on a busy disk (measured against 16 MiB).
   */
  writeAheadBytes: 64 * 1_048_576,
  /**
   * Entries of a batched index that wait until they are entered. Five writes enter them, and what these write waits too. A
   * reading thread holds them in memory (some 40 bytes each) once it has been asked for one, so its first read takes up to 0.1 s.
   */
  waitingEntries: 50_000,
} as const;

export interface EmbeddedDocumentStoreOptions {
  readonly folder: DataFolder;
  /** Name of the file inside the folder, so that a rebuild can have its own. Default: `documents.db`. */
  readonly file?: string;
  /**
   * Limit for the file in bytes; writes beyond it are refused with NotDurableError. Default: only the disk limits the
   * file.
   */
  readonly maxBytes?: number;
  readonly limits?: Partial<Record<keyof typeof DOCUMENT_STORE_LIMITS, number>>;
  /** Handles an I/O error or a crash of a thread. Default: writes one line and ends the process. */
  readonly onFatal?: FatalHandler;
}

export interface EmbeddedDocumentStore extends DocumentStore {
  /** Changes `maxBytes`, with immediate effect. */
  limitBytes(maxBytes: number): Promise<void>;
  /** Returns the number of waiting and running writes and reads; for metrics. */
  pendingCalls(): number;
  /**
   * Yields what the file says wrongly of its documents: indexes, and columns that indexes use, that differ from the documents.
   * Reads of whole collections do not see this, lists do. Takes as long as reading every document.
   */
  indexFaults(): AsyncIterable<string>;
  /** Returns whether the newest write was refused because the disk, or the file's limit, is full; for readiness. */
  isFull(): boolean;
}

export type DocumentStoreLimits = Record<keyof typeof DOCUMENT_STORE_LIMITS, number>;
