/** Order of archives by age, which distinguishes retention from a loss. */
import type { Matched, PresentArchive } from './archive-match.ts';
import type { ArchiveMemory } from './memory.ts';

/**
 * Returns whether every lost archive was older than every remaining one, as with retention, and one remains. `known` is
 * oldest first.
 */
export function onlyOldestGone(
  known: readonly ArchiveMemory[],
  matched: Pick<Matched<PresentArchive>, 'elsewhere' | 'gone'>,
): boolean {
  return matched.gone.length + matched.elsewhere.size < known.length && areOldest(known, matched);
}

/** Returns whether every lost archive was older than every remaining one. `known` is oldest first. */
export function areOldest(
  known: readonly ArchiveMemory[],
  { elsewhere, gone }: Pick<Matched<PresentArchive>, 'elsewhere' | 'gone'>,
): boolean {
  const inOrder = known.filter((archive) => !elsewhere.has(archive));
  return gone.every((archive, index) => inOrder[index] === archive);
}

/**
 * Returns `kept` with `others` inserted by age, oldest first; `kept` keeps its order.
 * @param listed signatures of all archives, oldest first
 */
export function insertByAge(
  kept: readonly ArchiveMemory[],
  others: readonly ArchiveMemory[],
  listed: readonly string[],
): ArchiveMemory[] {
  const places = new Map(listed.map((signature, place) => [signature, place]));
  const place = ({ signature }: ArchiveMemory): number => places.get(signature) ?? -1;
  const all: ArchiveMemory[] = [];
  let next = 0;
  for (const one of others.toSorted((a, b) => place(a) - place(b))) {
    for (; next < kept.length && place(kept[next]!) <= place(one); next += 1) all.push(kept[next]!);
    all.push(one);
  }
  return [...all, ...kept.slice(next)];
}

/**
 * Returns the known archives with their current names and signatures, oldest first.
 * @param inPlaceOf returns the archives that replace a lost one @param learned archives seen for the first time
 */
export function ordered(
  known: readonly ArchiveMemory[],
  { elsewhere, now }: Matched<PresentArchive>,
  present: readonly PresentArchive[],
  more: {
    readonly inPlaceOf?: (gone: ArchiveMemory) => readonly ArchiveMemory[];
    readonly learned?: readonly ArchiveMemory[];
  } = {},
): ArchiveMemory[] {
  const { inPlaceOf = () => [], learned = [] } = more;
  const nowOf = (archive: ArchiveMemory): readonly ArchiveMemory[] => {
    const there = now.get(archive);
    return there === undefined ? inPlaceOf(archive) : [there];
  };
  const moved = known.filter((archive) => elsewhere.has(archive));
  return insertByAge(
    known.filter((archive) => !elsewhere.has(archive)).flatMap(nowOf),
    [...moved.flatMap(nowOf), ...learned],
    present.map(({ signature }) => signature),
  );
}

/** Returns the known archives unchanged, with the newly seen ones inserted by age. */
export function withLearned(
  known: readonly ArchiveMemory[],
  matched: Matched<PresentArchive>,
  present: readonly PresentArchive[],
  learned: readonly ArchiveMemory[],
): readonly ArchiveMemory[] {
  if (learned.length === 0) return known;
  const before = new Map([...matched.now].map(([before, now]) => [now, before]));
  const all = ordered(known, matched, present, { inPlaceOf: (gone) => [gone], learned });
  return all.map((one) => before.get(one) ?? one);
}

/**
 * Returns the present archive that replaced each lost one; none replaces two. When the remaining archives kept their
 * names, the name identifies the successor, else the inode: file systems give the inode of a removed file to the next
 * new one. After a rotation that renamed all of them, even one reported before, only an older archive than these can be a
 * successor.
 */
export function successorsOf<P extends PresentArchive>(
  { gone, now, strange }: Matched<P>,
  present: readonly P[],
): ReadonlyMap<ArchiveMemory, P> {
  const isRotated =
    now.size > 0 && [...now].every(([before, { name }]) => bareName(before.name) !== bareName(name));
  const isMoved = (archive: ArchiveMemory): boolean => isRotated || archive.isUnfound === true;
  const left = new Set([...now.values()].map(({ signature }) => signature));
  const oldestLeft = present.findIndex(({ signature }) => left.has(signature));
  const older = strange.filter((one) => present.indexOf(one) < oldestLeft);
  const free = new Set(strange);
  const found = new Map<ArchiveMemory, P>();
  const take = (archive: ArchiveMemory, successor: P | undefined): void => {
    if (successor !== undefined && free.delete(successor)) found.set(archive, successor);
  };
  for (const follows of [hasItsName, hasItsInode])
    for (const archive of gone.filter((one) => !isMoved(one) && !found.has(one)))
      take(
        archive,
        strange.find((one) => free.has(one) && follows(archive, one)),
      );
  for (const [index, archive] of gone.entries()) if (isMoved(archive)) take(archive, older[index]);
  return found;
}

const bareName = (name: string): string => name.replace(/\.(gz|xz|zst|bz2)$/, '');

/** Returns whether the archive has the name of a known one, without the suffix of the compression. */
const hasItsName = (known: ArchiveMemory, now: PresentArchive): boolean =>
  bareName(now.name) === bareName(known.name);

const hasItsInode = (known: ArchiveMemory, now: PresentArchive): boolean =>
  known.signature.startsWith(`${now.inode}:`);
