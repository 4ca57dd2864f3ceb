import { atom, getDefaultStore } from 'jotai';

/** Modal dialogs that are open, the innermost last: what lies outside of it cannot be seen or used. */
export const openDialogsAtom = atom<readonly HTMLElement[]>([]);

/** Call it with a dialog that was opened; call what it returns when it is closed. */
export function enterDialog(dialog: HTMLElement): () => void {
  const store = getDefaultStore();
  store.set(openDialogsAtom, (open) => [...open, dialog]);
  return () => store.set(openDialogsAtom, (open) => open.filter((other) => other !== dialog));
}
