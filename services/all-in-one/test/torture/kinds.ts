/** Which kinds of what stands at the path the server has to be told (docs/agent.md, "instead of the file"). Pure. */
import { noticeCode, type Event } from '@sentinel-node/contracts';
import { isClaimed } from './history.ts';
import type { Claimed } from './known.ts';

const isKindTold = ({ type, note }: Event): boolean =>
  type === 'AGENT_ERROR' && noticeCode(note) === 'FILE_KIND';

/** What is wrong, a sentence each. A look at a link counts when its notice is durable. @param events of the file */
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
