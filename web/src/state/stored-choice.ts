import { atom, getDefaultStore, type WritableAtom } from 'jotai';
import { isOneOf } from '../narrow.ts';

/** What a person chose on this machine, kept in the browser. Other tabs follow. */
export type StoredChoice<T extends string> = WritableAtom<T, [T], void>;

/** @param key of localStorage, without the product's prefix */
export function storedChoice<T extends string>(
  key: string,
  options: readonly T[],
  fallback: T,
): StoredChoice<T> {
  const name = `sentinel.${key}`;
  const read = (stored: string | null): T =>
    stored !== null && isOneOf(options, stored) ? stored : fallback;
  const held = atom(read(readText(name)));
  window.addEventListener('storage', (event) => {
    if (event.key === name) getDefaultStore().set(held, read(event.newValue));
  });
  return atom(
    (get) => get(held),
    (_get, set, value: T) => {
      set(held, value);
      try {
        localStorage.setItem(name, value);
      } catch {
        // Storage is blocked: the choice lives as long as the page.
      }
    },
  );
}

function readText(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
