/** From pressed keys to shortcuts, without a browser. */
import type { Shortcut } from './table.ts';

/** What is asked of a KeyboardEvent. */
export interface KeyPress {
  readonly key: string;
  /** The place on the keyboard, `KeyJ`. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const LATIN_LETTER = /^[a-z]$/i;
const ASCII = /^[\x20-\x7e]$/;

/**
 * The key as the table names it: `j`, `X`, `?`, `Mod+k`; null for what no shortcut has. Caps lock does not count, and on a
 * keyboard of other letters the place of the key does.
 */
export function keyName({ key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string | null {
  const place = /^Key([A-Z])$/.exec(code)?.[1];
  const latin = ASCII.test(key) || key.length !== 1 ? key : (place ?? key);
  if (LATIN_LETTER.test(latin)) {
    const letter = shiftKey ? latin.toUpperCase() : latin.toLowerCase();
    if (ctrlKey !== metaKey && !altKey) return `Mod+${letter}`;
    return ctrlKey || metaKey || altKey ? null : letter;
  }
  // Signs as / and ? stand behind Shift or AltGr on many keyboards; AltGr counts as Ctrl and Alt.
  const isAltGraph = ctrlKey && altKey;
  return (ctrlKey || metaKey || altKey) && !isAltGraph ? null : latin;
}

/** Milliseconds between the keys of one shortcut. */
export const SEQUENCE_MS = 1_500;

/** Keys that begin a shortcut of several. */
export interface Pending {
  readonly keys: readonly string[];
  /** When the last one was pressed, in milliseconds. */
  readonly at: number;
}

export const NOTHING_PENDING: Pending = { keys: [], at: 0 };

interface Step {
  readonly shortcut: Shortcut | null;
  readonly pending: Pending;
}

/** What a key means after those that were pressed before. A key that does not go on with them begins anew. */
export function press(pending: Pending, key: string, at: number, table: readonly Shortcut[]): Step {
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

/** As a person reads it: `Ctrl K`, `⌘ K`, `G A`, `Shift X`. */
export function shownKeys({ keys }: Shortcut, isMac: boolean): string[] {
  return keys.flatMap((key) => {
    if (key.startsWith('Mod+')) return [isMac ? '⌘' : 'Ctrl', key.slice('Mod+'.length).toUpperCase()];
    if (/^[A-Z]$/.test(key)) return ['Shift', key];
    return [words[key] ?? (LATIN_LETTER.test(key) ? key.toUpperCase() : key)];
  });
}

/** As `aria-keyshortcuts` has it; undefined for several keys one after another, which it cannot say. */
export function ariaKeys({ keys }: Shortcut, isMac: boolean): string | undefined {
  const [key, ...others] = keys;
  if (key === undefined || others.length > 0) return undefined;
  if (key.startsWith('Mod+'))
    return `${isMac ? 'Meta' : 'Control'}+${key.slice('Mod+'.length).toUpperCase()}`;
  return /^[A-Z]$/.test(key) ? `Shift+${key}` : key;
}
