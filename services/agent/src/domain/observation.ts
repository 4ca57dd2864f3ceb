/** What a look at the disk found; made by `io`, turned into reports by `step.ts`. Lengths in bytes, hashes SHA-256 hex. */
import type { Archive, Version } from '@sentinel-node/contracts';
import type { ArchiveMemory } from './memory.ts';

export type Observation =
  /** The path is a regular file. */
  | {
      readonly kind: 'file';
      /** The file as it is now. */
      readonly now: Version;
      /** Its first `length` bytes hashed again, `length` being the remembered version's, or all of it when it is shorter. */
      readonly prefix: Version | null;
      /** False when a running hash stood in for reading the whole prefix. */
      readonly reread: boolean;
      /** Newest archive at the first look of a rolled file; what is not newer is no rotation of ours. */
      readonly newest?: ArchiveMemory;
    }
  /** The file was rotated away since the last look. */
  | {
      readonly kind: 'rolled';
      readonly now: Version | null;
      /** The remembered version re-read from the oldest new archive; null: none could be read. */
      readonly prefix: Version | null;
      /** Oldest first, contents decompressed. */
      readonly archives: readonly Archive[];
      readonly newest: ArchiveMemory | null;
    }
  /** The newest archive is not what it was. */
  | { readonly kind: 'archive-changed'; readonly newest: ArchiveMemory }
  | { readonly kind: 'missing' }
  | { readonly kind: 'error'; readonly code: string; readonly message: string };
