/** Which kinds of what stands at the path the server has to be told (docs/agent.md, "instead of the file"). Pure. */
import { noticeCode, type Event } from '@sentinel-node/contracts';
import { isClaimed, overlaps, type Span } from './history.ts';
import type { Claimed } from './known.ts';

const isKindTold = ({ type, note }: Event): boolean =>
  type === 'AGENT_ERROR' && noticeCode(note) === 'FILE_KIND';

/**
 * What is wrong, a sentence each. A look at a link counts when its notice is durable; on a full disk the notice is kept in
 * memory alone.
 * @param events of the file @param full when the state folder had no room
 */
export function kindFaults(
  events: readonly Event[],
  { states, claims }: Pick<Claimed, 'states' | 'claims'>,
  full: readonly Span[],
): string[] {
  const isTold = events.some(isKindTold);
  const links = states.filter(({ disk }) => disk.target !== null);
  if (isTold && links.length === 0) return ['FALSE: FILE_KIND is told, and there was never a link'];
  const mustTell = links.some(
    (state) => isClaimed(state, claims) && !full.some((one) => overlaps(one, state)),
  );
  return mustTell && !isTold ? ['MISSED: a link stood there, and FILE_KIND is not told'] : [];
}
