/** The server's time: ages, ranges back from now and exports must not depend on a wrong clock of the browser's machine. */
import { atom, getDefaultStore } from 'jotai';

/** Largest difference in ms that is not corrected: whole seconds and slow answers explain it. */
const TOLERANCE_MS = 60_000;

/** Server's time less the browser's, in ms; 0 while they agree. */
export const clockOffsetAtom = atom(0);

/** Learns the server's time from the `Date` of an answer (RFC 9110, section 6.6.1); null teaches nothing. */
export function hearServerTime(date: string | null): void {
  const at = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(at)) return;
  const difference = at - Date.now();
  getDefaultStore().set(clockOffsetAtom, Math.abs(difference) < TOLERANCE_MS ? 0 : difference);
}

/** Converts a time of the browser's clock to the server's; both in ms since 1970. */
export const serverTimeOf = (at: number): number => at + getDefaultStore().get(clockOffsetAtom);

/** Returns the server's time in ms since 1970. */
export const serverNow = (): number => serverTimeOf(Date.now());
