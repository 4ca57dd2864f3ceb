import { storedChoice } from '../stored-choice.ts';

/** Whether shortcuts of one character are on; speech input and accidental touches can trigger them (WCAG 2.1.4). */
export const singleKeysAtom = storedChoice('single-keys', ['on', 'off'], 'on');
