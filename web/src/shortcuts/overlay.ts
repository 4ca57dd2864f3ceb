import { atom, getDefaultStore } from 'jotai';

/** Overlay that a shortcut opened. */
export type Overlay = 'help' | 'palette' | null;

export const overlayAtom = atom<Overlay>(null);

export const openOverlay = (overlay: Overlay): void => getDefaultStore().set(overlayAtom, overlay);
