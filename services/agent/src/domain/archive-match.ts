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
  /** Pairs archives of equal content that also have the same key. */
  const pair = (keyOf: (one: ArchiveMemory | P) => string): void => {
    const byKey = new Map<string, P[]>();
    for (const one of left) {
      if (one.content === null) continue;
      const key = fullKey(one.content, keyOf(one));
      const others = byKey.get(key);
      if (others === undefined) byKey.set(key, [one]);
      else others.push(one);
    }
    for (const archive of known) {
      const match = found.has(archive) ? undefined : byKey.get(fullKey(archive, keyOf(archive)))?.shift();
      if (match === undefined) continue;
      left.delete(match);
      found.set(archive, match);
    }
  };
  pair(({ signature }) => signature);
  pair(({ signature }) => withoutChange(signature));
  pair(({ name }) => name);
  const here = new Set(found.keys());
  pair(() => '');
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

const fullKey = ({ length, hash }: Pick<ArchiveMemory, 'length' | 'hash'>, key: string): string =>
  `${hash}:${length}:${key}`;

/**
 * Returns the signature without the change time, which a rename changes. The other times stay: an inode can be
 * reused.
 */
const withoutChange = (signature: string): string => signature.slice(0, signature.lastIndexOf(':'));
