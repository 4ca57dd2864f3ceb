import { useState, useSyncExternalStore } from 'react';

/**
 * Same as `useState` with updating functions, for a component that is asked far more often than it changes: an update that
 * returns the old value leaves nothing behind. React keeps such an update, with all that it refers to, until the next render.
 */
export function useHeld<T>(initial: T): readonly [T, (change: (old: T) => T) => void] {
  const [store] = useState(() => storeOf(initial));
  return [useSyncExternalStore(store.subscribe, store.get), store.change];
}

function storeOf<T>(initial: T) {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    change: (change: (old: T) => T) => {
      const next = change(value);
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
  };
}
