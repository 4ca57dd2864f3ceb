import type { ArchiveMemory } from './memory.ts';

/** An archive in the folder now, with its content when the archive can be read. */
export interface PresentArchive {
  readonly name: string;
  readonly signature: string;
  /** Device and inode, the beginning of the signature. */
  readonly inode: string;
  /** null when the archive cannot be read. */
  readonly content: { readonly length: number; readonly hash: string } | null;
}

export interface Matched<P extends PresentArchive> {
  /** Known archives that were found, in the order of `known`, each with its current name and signature. */
  readonly now: ReadonlyMap<ArchiveMemory, ArchiveMemory>;
  /** Archives of `now` found by their content alone: they are other files, and their age is unknown. */
  readonly elsewhere: ReadonlySet<ArchiveMemory>;
  /** Known archives whose content was not found. */
  readonly gone: readonly ArchiveMemory[];
  /** Present archives that match no known archive. */
  readonly strange: readonly P[];
}

/**
 * Finds known archives by their content, because a rotation renames and compresses them. Each present archive matches
 * one known archive at most, so that of two archives with equal content the loss of one still shows.
 */
export function matchArchives<P extends PresentArchive>(
  known: readonly ArchiveMemory[],
  present: readonly P[],
): Matched<P> {
  const left = new Set(present);
  const found = new Map<ArchiveMemory, P>();
  const pair = (fits: (a: ArchiveMemory, b: P) => boolean): void => {
    for (const archive of known) {
      if (found.has(archive)) continue;
      const match = [...left].find((one) => isEqual(archive, one) && fits(archive, one));
      if (match === undefined) continue;
      left.delete(match);
      found.set(archive, match);
    }
  };
  pair((a, b) => a.signature === b.signature);
  pair((a, b) => withoutChange(a.signature) === withoutChange(b.signature));
  pair((a, b) => a.name === b.name);
  const here = new Set(found.keys());
  pair(() => true);
  return {
    now: new Map(
      known.flatMap((archive) => {
        const match = found.get(archive);
        if (match === undefined) return [];
        const { hash, length } = archive;
        return [[archive, { name: match.name, signature: match.signature, length, hash }]];
      }),
    ),
    elsewhere: new Set([...found.keys()].filter((archive) => !here.has(archive))),
    gone: known.filter((archive) => !found.has(archive)),
    strange: [...left],
  };
}

const isEqual = (a: ArchiveMemory, b: PresentArchive): boolean =>
  b.content?.hash === a.hash && b.content.length === a.length;

/**
 * Returns the signature without the change time, which a rename changes. The other times stay: an inode can be
 * reused.
 */
const withoutChange = (signature: string): string => signature.slice(0, signature.lastIndexOf(':'));
