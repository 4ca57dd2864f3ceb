/** Checks the events about the kind of the entry at a path (docs/agent.md, "instead of the file"). Pure. */
import { noticeCode, type Event } from '@sentinel-node/contracts';
import { isClaimed } from './history.ts';
import type { Claimed } from './known.ts';

const isKindTold = ({ type, note }: Event): boolean =>
  type === 'AGENT_ERROR' && noticeCode(note) === 'FILE_KIND';

/**
 * Returns a sentence for each fault. A look at a link counts once its notice is durable. @param events of the
 * file
 */
export function kindFaults(
  events: readonly Event[],
  { states, claims }: Pick<Claimed, 'states' | 'claims'>,
): string[] {
  const isTold = events.some(isKindTold);
  const links = states.filter(({ disk }) => disk.target !== null);
  if (isTold && links.length === 0) return ['FALSE: FILE_KIND is told, and there was never a link'];
  const mustTell = links.some((state) => isClaimed(state, claims));
  return mustTell && !isTold ? ['MISSED: a link stood there, and FILE_KIND is not told'] : [];
}
