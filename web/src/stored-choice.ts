import { atom, getDefaultStore, type WritableAtom } from 'jotai';
import { isOneOf } from './narrow.ts';

/** A person's choice, stored in this browser and followed by other tabs. */
export type StoredChoice<T extends string> = WritableAtom<T, [T], void>;

/** Returns an atom for a stored choice. @param key key in localStorage, without the product's prefix */
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
        // Storage is blocked: the choice lasts as long as the page.
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
