import { atom } from 'jotai';
import type { ConsoleConfig } from '../api/console-config.ts';

/** The server's configuration, set once before the first page. */
export const configAtom = atom<ConsoleConfig | null>(null);
