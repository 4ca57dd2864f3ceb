/** Maps pressed keys to shortcuts; pure. */
import type { Shortcut } from './table.ts';

/** The used members of a KeyboardEvent. */
export interface KeyPress {
  readonly key: string;
  /** Position on the keyboard, such as `KeyJ`. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const LATIN_LETTER = /^[a-z]$/i;
const ASCII = /^[\x20-\x7e]$/;

/**
 * Returns the key's name in the table: `j`, `X`, `?`, `Mod+k`; null for keys that no shortcut uses. Ignores caps lock; on
 * a keyboard with other letters the key's position counts.
 */
export function keyName({ key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string | null {
  const place = /^Key([A-Z])$/.exec(code)?.[1];
  const latin = ASCII.test(key) || key.length !== 1 ? key : (place ?? key);
  if (LATIN_LETTER.test(latin)) {
    const letter = shiftKey ? latin.toUpperCase() : latin.toLowerCase();
    if (ctrlKey !== metaKey && !altKey) return `Mod+${letter}`;
    return ctrlKey || metaKey || altKey ? null : letter;
  }
  // Many keyboards need Shift or AltGr for signs such as / and ?; AltGr arrives as Ctrl and Alt.
  const isAltGraph = ctrlKey && altKey;
  return (ctrlKey || metaKey || altKey) && !isAltGraph ? null : latin;
}

/** Longest time between the keys of one shortcut, in ms. */
export const SEQUENCE_MS = 1_500;

/** First keys of a shortcut of several keys. */
export interface Pending {
  readonly keys: readonly string[];
  /** Time of the last key press, in ms. */
  readonly at: number;
}

export const NOTHING_PENDING: Pending = { keys: [], at: 0 };

interface Step {
  readonly shortcut: Shortcut | null;
  readonly pending: Pending;
}

/** Returns the effect of a key after the pending ones. A key that does not continue them starts a new shortcut. */
export function nextKeyState(pending: Pending, key: string, at: number, table: readonly Shortcut[]): Step {
  const before = at - pending.at > SEQUENCE_MS ? [] : pending.keys;
  for (const keys of before.length === 0 ? [[key]] : [[...before, key], [key]]) {
    const begun = table.filter((shortcut) => keys.every((each, index) => shortcut.keys[index] === each));
    const shortcut = begun.find((one) => one.keys.length === keys.length);
    if (shortcut !== undefined) return { shortcut, pending: NOTHING_PENDING };
    if (begun.length > 0) return { shortcut: null, pending: { keys, at } };
  }
  return { shortcut: null, pending: NOTHING_PENDING };
}

const words: Record<string, string> = { Escape: 'Esc' };

/** Returns the keys as shown to a person: `Ctrl K`, `⌘ K`, `G A`, `Shift X`. */
export function shownKeys({ keys }: Shortcut, isMac: boolean): string[] {
  return keys.flatMap((key) => {
    if (key.startsWith('Mod+')) return [isMac ? '⌘' : 'Ctrl', key.slice('Mod+'.length).toUpperCase()];
    if (/^[A-Z]$/.test(key)) return ['Shift', key];
    return [words[key] ?? (LATIN_LETTER.test(key) ? key.toUpperCase() : key)];
  });
}

/** Returns the value of `aria-keyshortcuts`; undefined for a sequence of keys, which it cannot express. */
export function ariaKeys({ keys }: Shortcut, isMac: boolean): string | undefined {
  const [key, ...others] = keys;
  if (key === undefined || others.length > 0) return undefined;
  if (key.startsWith('Mod+'))
    return `${isMac ? 'Meta' : 'Control'}+${key.slice('Mod+'.length).toUpperCase()}`;
  return /^[A-Z]$/.test(key) ? `Shift+${key}` : key;
}
