/** Which archives the agent knows for sure. Pure. */
import { areArchivesClaimed, type Claim, type Span, type State } from './history.ts';

export interface Claimed {
  readonly states: readonly State[];
  readonly claims: readonly Claim[];
  /** When an agent was started. */
  readonly starts: readonly number[];
}

/**
 * Ids of the archives that the agent knows when it has seen the state `at`: those that were there at first, and those that a
 * rotation made of a file with contents, which is told by the file. That an empty file was copied and cut shows in the
 * archives alone: such an archive is known when the agent said that it looked twice while it was there under one name.
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

/** When the archive was there, with all others as they were: each rotation renames it. */
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
