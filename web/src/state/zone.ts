import { getDefaultStore } from 'jotai';
import { showUtc } from '../time-zone.ts';
import { storedChoice } from './stored-choice.ts';

export const ZONES = ['local', 'utc'] as const;
export type Zone = (typeof ZONES)[number];

export const zoneAtom = storedChoice<Zone>('zone', ZONES, 'local');

/** Lets `format.ts` and the date filters follow the choice; call it before anything is shown. */
export function followZone(): void {
  const store = getDefaultStore();
  const apply = (): void => showUtc(store.get(zoneAtom) === 'utc');
  apply();
  store.sub(zoneAtom, apply);
}
