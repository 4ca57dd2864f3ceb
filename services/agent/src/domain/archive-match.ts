import type { ArchiveMemory } from './memory.ts';

/** An archive that is there now: what it holds, or that it cannot be read. */
export interface PresentArchive {
  readonly name: string;
  readonly signature: string;
  /** Device and inode, the beginning of the signature. */
  readonly inode: string;
  /** null: it cannot be read. */
  readonly content: { readonly length: number; readonly hash: string } | null;
}

export interface Matched<P extends PresentArchive> {
  /** Known ones that are there, in the order of `known`, each with the name that it has now. */
  readonly now: ReadonlyMap<ArchiveMemory, ArchiveMemory>;
  /** Of these, those that only their contents tell: another file, of which nobody knows whether it is older than others. */
  readonly elsewhere: ReadonlySet<ArchiveMemory>;
  /** Known ones whose contents are nowhere any more. */
  readonly gone: readonly ArchiveMemory[];
  /** Those that hold nothing that is known. */
  readonly strange: readonly P[];
}

/**
 * Finds known archives by what they hold, whatever their names are now: a rotation renames and compresses them. Each
 * stands for one, so that of two with the same contents none can hide the loss of the other.
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
        return match === undefined
          ? []
          : [[archive, { ...archive, name: match.name, signature: match.signature }]];
      }),
    ),
    elsewhere: new Set([...found.keys()].filter((archive) => !here.has(archive))),
    gone: known.filter((archive) => !found.has(archive)),
    strange: [...left],
  };
}

const isEqual = (a: ArchiveMemory, b: PresentArchive): boolean =>
  b.content?.hash === a.hash && b.content.length === a.length;

/** Without the time that a rename changes. The inode of one that was removed can be another's by now, which has other times. */
const withoutChange = (signature: string): string => signature.slice(0, signature.lastIndexOf(':'));
