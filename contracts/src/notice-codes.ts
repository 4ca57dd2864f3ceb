/** Code of an AGENT_ERROR: an agent was refused because it used an ended key of its device. */
export const KEY_ENDED = 'KEY_ENDED';

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
