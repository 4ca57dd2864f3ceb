import type { DocumentStore } from '../../ports/document-store.ts';
import type { DataFolder } from '../data-folder.ts';
import type { FatalHandler } from '../worker-channel.ts';

/** Defaults of `openEmbeddedDocumentStore`. */
export const DOCUMENT_STORE_LIMITS = {
  pendingCalls: 10_000,
  pendingBytes: 64 * 1_048_576,
  /** Page cache of the writing connection. */
  writeCacheBytes: 64 * 1_048_576,
  /**
   * Of each reading connection; the operating system's cache of the file is behind it. A long read fills it whole
   * (measured: with 16 MiB an export takes 12 MiB more).
   */
  readCacheBytes: 4 * 1_048_576,
  /**
   * The write-ahead log is copied into the file when it has grown to about this. Random index pages are written many
   * times in between and copied once, which halves what a document costs on a busy disk (measured against 16 MiB).
   */
  writeAheadBytes: 64 * 1_048_576,
} as const;

export interface EmbeddedDocumentStoreOptions {
  readonly folder: DataFolder;
  /** Name of the file inside the folder, so that a rebuild can have its own. Default `documents.db`. */
  readonly file?: string;
  /** Bytes of the file; writes beyond are refused with NotDurableError. Default: what the disk holds. */
  readonly maxBytes?: number;
  readonly limits?: Partial<Record<keyof typeof DOCUMENT_STORE_LIMITS, number>>;
  /** An I/O error or a crash of a thread. Default: one line, and the end of the process. */
  readonly onFatal?: FatalHandler;
}

export interface EmbeddedDocumentStore extends DocumentStore {
  /** Sets `maxBytes` anew; works at once. */
  limitBytes(maxBytes: number): Promise<void>;
  /** Writes and reads that wait or run; for metrics. */
  pendingCalls(): number;
}

export type DocumentStoreLimits = Record<keyof typeof DOCUMENT_STORE_LIMITS, number>;
