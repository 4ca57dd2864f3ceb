/** What a person can see of a text that somebody typed: a name, a path. */

/**
 * Found in a text with at least one sign that is seen: no blank, no control character, no sign of the Basic Multilingual Plane that Unicode
 * says to leave out (DerivedCoreProperties: Default_Ignorable_Code_Point) or that has no width, and not the pattern of Braille without dots.
 * The signs stand in it themselves: `\u` and `\p` mean nothing to the clients of the API that are written in Go or Python.
 */
export const VISIBLE_PATTERN =
  '[^\\s\\x00-\\x1f\\x7f-\\x9f\\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]';
const SEEN = new RegExp(VISIBLE_PATTERN, 'u');

/** The other signs that Unicode says to leave out. In a pattern of JSON Schema they would not be valid without the flag `u`. */
const UNSEEN_BEYOND = /[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Returns whether nothing of a text is seen. */
export const isBlank = (text: string): boolean => !SEEN.test(text.replaceAll(UNSEEN_BEYOND, ''));

/** Signs that turn the order of what follows. */
export const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns a text with every sign that turns the order of what follows in the spelling that the agent's log has, such as `\u202e`; in a text
 * of which nothing is seen, every sign but blanks. Names and paths are whatever somebody called a file: `web-\u202egnp.exe` would look like
 * `web-exe.png`, and turn the words after it around. Right-to-left texts do not need these signs.
 */
export const visible = (text: string): string =>
  text.replace(
    isBlank(text) ? /\S/g : TURNING,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
