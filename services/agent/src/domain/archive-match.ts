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
  /** Known ones that are there, in the order of `known`, under the name that they have now. */
  readonly same: readonly ArchiveMemory[];
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
      const match = [...left].find((one) => fits(archive, one));
      if (match === undefined) continue;
      left.delete(match);
      found.set(archive, match);
    }
  };
  const equal = (a: ArchiveMemory, b: P): boolean =>
    b.content?.hash === a.hash && b.content.length === a.length;
  pair((a, b) => equal(a, b) && a.signature === b.signature);
  pair((a, b) => equal(a, b) && a.signature.startsWith(`${b.inode}:`));
  pair((a, b) => equal(a, b) && a.name === b.name);
  pair(equal);
  return {
    same: known.flatMap((archive) => {
      const match = found.get(archive);
      return match === undefined ? [] : [{ ...archive, name: match.name, signature: match.signature }];
    }),
    gone: known.filter((archive) => !found.has(archive)),
    strange: [...left],
  };
}

/** Whether all that is gone was older than all that is left: so retention removes archives. `known` is oldest first. */
export function onlyOldestGone(known: readonly ArchiveMemory[], gone: readonly ArchiveMemory[]): boolean {
  return gone.length < known.length && gone.every((archive, index) => known[index] === archive);
}
