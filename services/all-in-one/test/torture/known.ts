/** Computes the archives that the agent surely knows. Pure. */
import { areArchivesClaimed, type Claim, type Span, type State } from './history.ts';

export interface Claimed {
  readonly states: readonly State[];
  readonly claims: readonly Claim[];
  /** Times of the agent's starts, in ms since 1970. */
  readonly starts: readonly number[];
}

/**
 * Returns the ids of the archives that the agent knows once it has seen the state `at`: those of the first
 * state, and those that a rotation made of a file with contents, which the file itself shows. The copy of an
 * empty file shows in the archives alone: such an archive is known when the agent claims two looks while the
 * archive had one name.
 */
export function archivesKnown({ states, claims, starts }: Claimed, at: number): ReadonlySet<string> {
  const ofFirst = new Set(idsOf(states[0]!));
  const { archives } = states[at]!.disk;
  const sure = archives.filter(
    ({ id, content }) =>
      content.length > 0 ||
      ofFirst.has(id) ||
      spansOf(states.slice(0, at + 1), id).some((span) => areArchivesClaimed(span, claims, starts)),
  );
  return new Set(sure.map(({ id }) => id));
}

const idsOf = ({ disk }: State): string[] => disk.archives.map(({ id }) => id);

/**
 * Returns the times during which the archives, this one included, did not change: each rotation renames them.
 */
function spansOf(states: readonly State[], id: string): Span[] {
  const spans: Span[] = [];
  let before: State | undefined;
  for (const state of states) {
    const isThere = idsOf(state).includes(id);
    const isSame = before !== undefined && idsOf(before).join() === idsOf(state).join();
    const last = spans.at(-1);
    if (isThere && isSame && last !== undefined) spans.splice(-1, 1, { from: last.from, to: state.to });
    else if (isThere) spans.push({ from: state.from, to: state.to });
    before = state;
  }
  return spans;
}
