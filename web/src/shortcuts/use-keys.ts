import { useAtomValue } from 'jotai';
import { singleKeysAtom } from '../state/single-keys.ts';
import { ariaKeys, shownKeys } from './keys.ts';
import { isSingleKey, shortcutOf, type Shortcut, type ShortcutId } from './table.ts';

export const isMac = /^Mac|^iP/.test(navigator.platform);

export interface ShownKeys {
  keys: string[];
  /** For `aria-keyshortcuts`. */
  aria: string | undefined;
  /** A title that names the keys after the text: `Dismiss (D)`. */
  title: (text: string) => string;
}

/** How the keys of a shortcut are shown; null when there is none, or when the person has switched them off. */
export function useKeys(of: ShortcutId | Shortcut | undefined): ShownKeys | null {
  const singleKeys = useAtomValue(singleKeysAtom);
  if (of === undefined) return null;
  const shortcut = typeof of === 'string' ? shortcutOf(of) : of;
  if (singleKeys === 'off' && isSingleKey(shortcut)) return null;
  const keys = shownKeys(shortcut, isMac);
  const title = (text: string): string => `${text} (${keys.join(' ')})`;
  return { keys, aria: ariaKeys(shortcut, isMac), title };
}
