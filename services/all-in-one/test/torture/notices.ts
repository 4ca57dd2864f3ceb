/** Which events the agent and the server may raise, and which they have to. Pure. */
import { noticeCode, type Event } from '@sentinel-node/contracts';

export interface Happened {
  readonly jumps: boolean;
  /** The agent ran on after a jump, while there was room to keep what is told of it. */
  readonly mustTellJump: boolean;
  readonly isFull: boolean;
  readonly isShut: boolean;
  /** It was, while there was room to keep what is told of it. */
  readonly mustTellShut: boolean;
}

/** Of files that are created, changed and rotated as they may be. */
const PLAIN = new Set([
  'CREATE_DEVICE',
  'CREATE_FILE',
  'MODIFY_DEVICE',
  'ALERT',
  'ROLLING',
  'FILE_DECREASED',
]);

/** What is said of the agent by right, and would be a fault without what happened. */
function mayBeSaid(code: string, { jumps, isFull, isShut }: Happened): boolean {
  switch (code) {
    case 'ARCHIVE_REMOVED':
    case 'FILE_KIND': // `kinds.ts` knows of which files
      return true;
    case 'CLOCK_JUMP':
    case 'CLOCK_OFF':
    case 'RENUMBERED':
    case 'SEQUENCE_BACK': // a report whose answer did not become durable is sent again, with a time of the wrong clock
      return jumps;
    case 'SPOOL_FAILING':
    case 'RECEIPTS_NOT_KEPT':
      return isFull;
    case 'EACCES':
      return isShut;
    default:
      return false;
  }
}

/** What is wrong, a sentence each; none: all is as it has to be. */
export function eventFaults(events: readonly Event[], happened: Happened): string[] {
  const faults: string[] = [];
  const codes = new Set<string>();
  for (const { type, note, fileName } of events) {
    if (PLAIN.has(type)) continue;
    const code = type === 'AGENT_ERROR' ? (noticeCode(note) ?? '') : '';
    codes.add(code);
    if (type !== 'AGENT_ERROR' || !mayBeSaid(code, happened))
      faults.push(`${type} ${code} of ${fileName}: ${note}`);
  }
  if (happened.mustTellJump && !codes.has('CLOCK_JUMP')) faults.push('no event tells of a jump of the clock');
  if (happened.mustTellShut && !codes.has('EACCES')) faults.push('no event tells of the folder that is shut');
  return [...new Set(faults)];
}
