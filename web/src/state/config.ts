import { atom } from 'jotai';
import type { ConsoleConfig } from '../api/console-config.ts';

/** Set once, before the first page is drawn. */
export const configAtom = atom<ConsoleConfig | null>(null);
