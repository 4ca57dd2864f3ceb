import type { Attributes, Version } from '@sentinel-node/contracts';

/**
 * What the agent remembers of a file: the state after its last report, whether that report is accepted or still waits.
 * It is written to disk with the report, so a restart goes on from here and never starts a chain anew.
 */
export interface FileMemory {
  /** Last version reported; null before the first. */
  readonly last: Version | null;
  readonly missing: boolean;
  /** Highest sequence used; 0 before the first report. */
  readonly sequence: number;
  /** Code of the error that was last reported; null when the last look worked. */
  readonly error: string | null;
  /** Milliseconds of the last UNCHANGED or ERROR, which are repeated hourly. */
  readonly repeatedAt: number;
  /** Path and frequency that `last` belongs to; another one starts with FIRST. */
  readonly identity: string | null;
  /** What stood at the path: a regular file, a link to one, or what was there instead of one; null: not known. */
  readonly kind: string | null;
  /** Last told ones; absent: none were told. */
  readonly attributes?: Attributes;
}

export const NO_MEMORY: FileMemory = {
  last: null,
  missing: false,
  sequence: 0,
  error: null,
  repeatedAt: 0,
  identity: null,
  kind: null,
};

/** An archive of a rolled file as the agent knows it. */
export interface ArchiveMemory {
  readonly name: string;
  /** Bytes and SHA-256 of the decompressed contents. */
  readonly length: number;
  readonly hash: string;
  /** Device, inode, size and times when it was read; with the same ones it is not read again. */
  readonly signature: string;
}
