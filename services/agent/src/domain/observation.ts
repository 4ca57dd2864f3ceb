/** What a look at the disk found; made by `io`, turned into reports by `step.ts`. Lengths in bytes, hashes SHA-256 hex. */
import type { Archive, Attributes, Version } from '@sentinel-node/contracts';
import type { ArchiveMemory } from './memory.ts';

export type Observation =
  /** The path is a regular file, or a link to one. */
  | {
      readonly kind: 'file';
      /** `file`, or `link to …`. */
      readonly what: string;
      /** The file as it is now. */
      readonly now: Version;
      /** Its first `length` bytes hashed again, `length` being the remembered version's, or all of it when it is shorter. */
      readonly prefix: Version | null;
      /** False when a running hash stood in for reading the whole prefix. */
      readonly reread: boolean;
      /** At the first look of a rolled file: the archives that were there before. */
      readonly archivesNow?: readonly ArchiveMemory[];
      /** Where the server wants to hear of them, as of all kinds. */
      readonly attributes?: Attributes;
    }
  /** The file was rotated away since the last look. */
  | {
      readonly kind: 'rolled';
      readonly now: Version | null;
      /** The remembered version re-read from the oldest new archive; null: none could be read. */
      readonly prefix: Version | null;
      /** Oldest first, contents decompressed. */
      readonly archives: readonly Archive[];
      readonly archivesNow: readonly ArchiveMemory[];
      readonly attributes?: Attributes;
    }
  /** Archives are not what they were, or are gone (length 0). */
  | {
      readonly kind: 'archive-changed';
      readonly archives: readonly Archive[];
      readonly archivesNow: readonly ArchiveMemory[];
    }
  /** Nothing at the path, or `what`, which is no regular file. */
  | { readonly kind: 'missing'; readonly what: string; readonly attributes?: Attributes }
  | { readonly kind: 'error'; readonly code: string; readonly message: string };
