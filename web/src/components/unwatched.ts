/** Texts that explain why a file is not judged or not checked, with advice. */
import type { File } from '../answers.ts';
import { plural, shownDateTime } from '../format.ts';

const NOT_PERMITTED = 'The agent may not read it. Give its user the right to read the file and its folders.';

const reasons: Record<string, string> = {
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  EIO: 'The disk gives errors when it is read. Check the disk.',
  EMFILE: 'The agent has too many files open. Raise its limit of open files.',
  ELOOP: 'Its path is a chain of links without an end.',
  SPOOL_FAILING: 'The state folder of the agent cannot be written. Make room on its disk.',
  LOOK_LATE:
    'No look at it has ended in its time. Its file system may hang, or an archive is still being written.',
  NO_SIZE: 'Its size does not say how much it holds, as in /proc and /sys. Watch another file.',
  REPORT_REFUSED:
    'The server refused the last report of it for good, so its state is not known. The events of the file say why.',
  REPORTS_WAIT:
    'The agent looks at it, and what it reports does not arrive. Its events name the answer that it gets: a proxy may refuse it.',
  SPOOL_FULL: 'Too many reports wait at the agent. Restore its connection to the server.',
  UNREADABLE: 'The agent cannot read it. The log of the agent says why.',
};

/** Returns the text for a problem. @param problem code in the agent's heartbeat */
export const unwatchedText = (problem: string): string =>
  reasons[problem] ?? `The agent says ${problem}. Its log, and the events of the device, say more.`;

export function parkedWords({ cause, since, waiting }: NonNullable<File['parked']>): string {
  const why = cause === null ? '' : `: ${cause}`;
  const until =
    since === null ? 'Nothing of it was judged yet' : `It was judged up to ${shownDateTime(since)}`;
  const records = waiting === 1 ? 'one record waits' : `${plural(waiting, 'record')} wait`;
  return `A record could not be judged${why}. ${until}; ${records}, and none is lost. An operator of the server judges them again with “sentinel dead-letters replay”.`;
}
