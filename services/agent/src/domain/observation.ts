/**
 * Result of a look at the disk: `io` makes it, `step.ts` turns it into a report. Lengths in bytes, hashes SHA-256
 * hex.
 */
import type { Archive, Attributes, Version } from '@sentinel-node/contracts';
import type { ArchiveMemory } from './memory.ts';

export type Observation =
  /** The path is a regular file, or a link to one. */
  | {
      readonly kind: 'file';
      /** `file`, or `link to …`. */
      readonly what: string;
      /** The file's current version. */
      readonly now: Version;
      /**
       * Hash of the file's first bytes, as many as the remembered version had, or of the whole file when it is
       * shorter.
       */
      readonly prefix: Version | null;
      /** False when a running hash replaced reading the whole prefix. */
      readonly reread: boolean;
      /** Archives found at the first look at a rolled file. */
      readonly archivesNow?: readonly ArchiveMemory[];
      /** Present when the server asks for attributes; likewise in the other kinds. */
      readonly attributes?: Attributes;
    }
  /** The file was rotated away since the last look. */
  | {
      readonly kind: 'rolled';
      /** Kind of the new file, as in `file`. */
      readonly what: string;
      readonly now: Version | null;
      /** The remembered version, read again from the oldest new archive; null when no archive could be read. */
      readonly prefix: Version | null;
      /** Oldest first, contents decompressed. */
      readonly archives: readonly Archive[];
      readonly archivesNow: readonly ArchiveMemory[];
      readonly attributes?: Attributes;
    }
  /** Archives changed or are gone (length 0). */
  | {
      readonly kind: 'archive-changed';
      readonly archives: readonly Archive[];
      readonly archivesNow: readonly ArchiveMemory[];
    }
  /** The path has no regular file; `what` names the entry there, or `NOTHING`. */
  | { readonly kind: 'missing'; readonly what: string; readonly attributes?: Attributes }
  | { readonly kind: 'error'; readonly code: string; readonly message: string };
