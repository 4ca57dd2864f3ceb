import { useAtomValue } from 'jotai';
import { ariaKeys, shownKeys } from './keys.ts';
import { singleKeysAtom } from './single-keys.ts';
import { isSingleKey, shortcutOf, type Shortcut, type ShortcutId } from './table.ts';

export const isMac = /^Mac|^iP/.test(navigator.platform);

export interface ShownKeys {
  keys: string[];
  /** Value of `aria-keyshortcuts`. */
  aria: string | undefined;
  /** Returns a title with the keys after the text: `Dismiss (D)`. */
  title: (text: string) => string;
}

/** Returns a shortcut's texts; null without a shortcut, or when the person has switched it off. */
export function useKeys(of: ShortcutId | Shortcut | undefined): ShownKeys | null {
  const singleKeys = useAtomValue(singleKeysAtom);
  if (of === undefined) return null;
  const shortcut = typeof of === 'string' ? shortcutOf(of) : of;
  if (singleKeys === 'off' && isSingleKey(shortcut)) return null;
  const keys = shownKeys(shortcut, isMac);
  const title = (text: string): string => `${text} (${keys.join(' ')})`;
  return { keys, aria: ariaKeys(shortcut, isMac), title };
}
