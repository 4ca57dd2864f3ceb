/** What a person can see of a text that somebody typed: a name, a path. */

/**
 * Found in a text with at least one sign that is seen (ECMA-262, flag `u`): no blank, no control character, none of the signs that Unicode
 * says to leave out, and not the pattern of Braille without dots.
 */
export const VISIBLE_PATTERN = '[^\\s\\p{Cc}\\p{Cf}\\p{DI}\\u2800]';
const SEEN = new RegExp(VISIBLE_PATTERN, 'u');

/** Returns whether nothing of a text is seen. */
export const isBlank = (text: string): boolean => !SEEN.test(text);

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
