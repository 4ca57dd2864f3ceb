/** Code of an AGENT_ERROR: an agent was refused because it used an ended key of its device. */
export const KEY_ENDED = 'KEY_ENDED';
/** Code of an AGENT_ERROR: reports were answered 202 and not judged. */
export const REPORTS_NOT_JUDGED = 'REPORTS_NOT_JUDGED';

/** Codes of AGENT_ERROR events by which the server tells something itself: people, the console and notices rely on its word. */
const SERVER_CODES: ReadonlySet<string> = new Set([
  KEY_ENDED,
  REPORTS_NOT_JUDGED,
  'REPORTS_SET_ASIDE',
  'REPORTS_WAIT',
  'SEQUENCE_BACK',
  'SEQUENCE_REUSED',
  'TWO_AGENTS',
]);

/** Returns whether a reader takes the code for one of the server; letters of other widths and spaces around it change nothing. */
export const isServerCode = (code: string): boolean =>
  SERVER_CODES.has(
    code
      .normalize('NFKC')
      .replaceAll(/[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '')
      .toUpperCase(),
  );

/** Returns the `code` in the JSON note of an event made from a notice; undefined when the note is not JSON or has none. */
export function noticeCode(note: string): string | undefined {
  const parsed = parseNote(note);
  const hasCode = typeof parsed === 'object' && parsed !== null && 'code' in parsed;
  return hasCode && typeof parsed.code === 'string' ? parsed.code : undefined;
}

function parseNote(note: string): unknown {
  try {
    return JSON.parse(note);
  } catch (error) {
    // The note of a MODIFY_DEVICE event is plain text.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
