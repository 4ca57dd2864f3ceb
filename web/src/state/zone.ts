import { getDefaultStore } from 'jotai';
import { storedChoice } from '../stored-choice.ts';
import { showUtc } from '../time-zone.ts';

export const ZONES = ['local', 'utc'] as const;
export type Zone = (typeof ZONES)[number];

export const zoneAtom = storedChoice<Zone>('zone', ZONES, 'local');

/** Applies the chosen zone to `format.ts` and the date filters; call it before the first rendering. */
export function followZone(): void {
  const store = getDefaultStore();
  const apply = (): void => showUtc(store.get(zoneAtom) === 'utc');
  apply();
  store.sub(zoneAtom, apply);
}
