import { storedChoice } from './stored-choice.ts';

/** Shortcuts of one character can be switched off: speech input and chance touches would set them off (WCAG 2.1.4). */
export const singleKeysAtom = storedChoice('single-keys', ['on', 'off'], 'on');
