import { atom, getDefaultStore } from 'jotai';

/** Open modal dialogs, the innermost last; everything outside of it is disabled. */
export const openDialogsAtom = atom<readonly HTMLElement[]>([]);

/** Records an opened dialog. Returns the function to call when the dialog closes. */
export function enterDialog(dialog: HTMLElement): () => void {
  const store = getDefaultStore();
  store.set(openDialogsAtom, (open) => [...open, dialog]);
  return () => store.set(openDialogsAtom, (open) => open.filter((other) => other !== dialog));
}
