/**
 * Returns a text in which nothing begins a line, moves a cursor or turns the order of what follows: control characters, line separators
 * and controls of the writing direction are escaped as in JSON.
 * Paths and names of archives are whatever somebody called a file, and could imitate a line of the log or of the status.
 */
export const escapeLines = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (sign) => NAMED[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
