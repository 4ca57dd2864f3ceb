import { atom, getDefaultStore } from 'jotai';

/** What shortcuts open over the page. */
export type Overlay = 'help' | 'palette' | null;

export const overlayAtom = atom<Overlay>(null);

export const openOverlay = (overlay: Overlay): void => getDefaultStore().set(overlayAtom, overlay);
