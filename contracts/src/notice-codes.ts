/** Code of a device's AGENT_ERROR: an agent calls with a key of the device that has ended, and is refused. */
export const KEY_ENDED = 'KEY_ENDED';

/** The `code` in the note of an event that a notice became; undefined: the note has none. */
export function noticeCode(note: string): string | undefined {
  const said: unknown = JSON.parse(note);
  const hasCode = typeof said === 'object' && said !== null && 'code' in said;
  return hasCode && typeof said.code === 'string' ? said.code : undefined;
}
