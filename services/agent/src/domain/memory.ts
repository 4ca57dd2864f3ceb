import type { Attributes, Version } from '@sentinel-node/contracts';

/**
 * State of a file after its last report, whether the server accepted that report or the report still waits. The agent
 * writes this state to disk with the report, so a restart continues the chain instead of starting a new one.
 */
export interface FileMemory {
  /** Last version reported; null before the first. */
  readonly last: Version | null;
  readonly missing: boolean;
  /** Highest sequence used; 0 before the first report. */
  readonly sequence: number;
  /** Code of the last reported error; null when the last look succeeded. */
  readonly error: string | null;
  /** Time of the last report by the machine's clock, in ms; UNCHANGED and ERROR repeat hourly after it. */
  readonly repeatedAt: number;
  /** Path and frequency of `last`; another path or frequency starts with FIRST. */
  readonly identity: string | null;
  /** Kind of the entry at the path, as `kind.ts` names it: `file`, `link to …`, `folder`, …; null: unknown. */
  readonly kind: string | null;
  /** Last reported attributes; absent when none were reported. */
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

/** A known archive of a rolled file. */
export interface ArchiveMemory {
  readonly name: string;
  /** Bytes and SHA-256 of the decompressed contents. */
  readonly length: number;
  readonly hash: string;
  /** Device, inode, size and times at the last reading; an archive with the same signature is not read again. */
  readonly signature: string;
  /** Set when a rotation did not find the archive: another archive may have its name and inode by now. */
  readonly isUnfound?: true;
}
