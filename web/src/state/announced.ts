import { atom, getDefaultStore, type Atom } from 'jotai';

/** Makes an atom of what the mounted components announce, each until it calls the function that `announce` returns. */
export function announcements<V>(): { atom: Atom<readonly V[]>; announce: (value: V) => () => void } {
  /** @boundedBy the components that are mounted */
  const values = atom<ReadonlyMap<symbol, V>>(new Map());
  const change = (make: (values: Map<symbol, V>) => void): void =>
    getDefaultStore().set(values, (old) => {
      const next = new Map(old);
      make(next);
      return next;
    });
  return {
    atom: atom((get) => [...get(values).values()]),
    announce: (value) => {
      const key = Symbol('announced');
      change((all) => all.set(key, value));
      return () => change((all) => all.delete(key));
    },
  };
}
