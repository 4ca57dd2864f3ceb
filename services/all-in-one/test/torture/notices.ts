/** Checks which events the agent and the server may raise, and which they must. Pure. */
import { noticeCode, type Event } from '@sentinel-node/contracts';

export interface Happened {
  readonly jumps: boolean;
  /** The agent continued after a jump of its clock, with room on the disk for the notice. */
  readonly mustTellJump: boolean;
  readonly isFull: boolean;
  readonly isShut: boolean;
  /** The folder was shut while the disk had room for the notice. */
  readonly mustTellShut: boolean;
}

/** Types of events of permitted changes. */
const PLAIN = new Set([
  'CREATE_DEVICE',
  'CREATE_FILE',
  'MODIFY_DEVICE',
  'ALERT',
  'ROLLING',
  'FILE_DECREASED',
]);

/** Returns whether what happened justifies an event with this code. */
function mayBeSaid(code: string, { jumps, isFull, isShut }: Happened): boolean {
  switch (code) {
    case 'ARCHIVE_REMOVED':
    case 'FILE_KIND': // `kinds.ts` checks for which files
      return true;
    case 'CLOCK_JUMP':
    case 'CLOCK_OFF':
    case 'RENUMBERED':
    case 'SEQUENCE_BACK': // a report whose answer was not saved is sent again, with a time of the wrong clock
      return jumps;
    case 'SPOOL_FAILING':
    case 'SPOOL_FAILED': // the agent was killed while the disk was full, and its next run tells it
    case 'RECEIPTS_NOT_KEPT':
      return isFull;
    case 'EACCES':
      return isShut;
    default:
      return false;
  }
}

/** Returns a sentence for each fault; empty without a fault. */
export function eventFaults(events: readonly Event[], happened: Happened): string[] {
  const faults: string[] = [];
  const codes = new Set<string>();
  for (const { type, note, fileName, timestamp } of events) {
    if (PLAIN.has(type)) continue;
    const code = type === 'AGENT_ERROR' ? (noticeCode(note) ?? '') : '';
    codes.add(code);
    if (type !== 'AGENT_ERROR' || !mayBeSaid(code, happened))
      faults.push(`${timestamp} ${type} ${code} of ${fileName}: ${note}`);
  }
  if (happened.mustTellJump && !codes.has('CLOCK_JUMP')) faults.push('no event tells of a jump of the clock');
  if (happened.mustTellShut && !codes.has('EACCES')) faults.push('no event tells of the folder that is shut');
  return [...new Set(faults)];
}
