import { zonedFormats } from '@sentinel-node/contracts';

/** The zone of shown times and entered days: the machine's or UTC. `state/zone.ts` stores the choice. */
let utc = false;

export function showUtc(on: boolean): void {
  utc = on;
}

export const isUtc = (): boolean => utc;

/** Returns the zone's IANA name, for the server. */
export const zoneName = (): string => (utc ? 'UTC' : localZone());

/** Returns what of the zone a search depends on: it finds times as they are shown. Without a search, nothing. */
export const searchedZone = (search: string): string => (search === '' ? '' : zoneName());

/** How long the machine's zone counts as known, in milliseconds. It changes on a journey, and asking for it takes 0.1 ms. */
const KNOWN_MS = 1_000;
let known: { readonly zone: string; readonly until: number } | undefined;

export function localZone(): string {
  const now = performance.now();
  if (known === undefined || now >= known.until)
    known = { zone: Intl.DateTimeFormat().resolvedOptions().timeZone, until: now + KNOWN_MS };
  return known.zone;
}

const zoneNames = zonedFormats({ timeZoneName: 'short' });

/** Returns the zone's short name at a moment: `UTC`, `GMT+1` or `EST`. */
export function zoneAt(moment: string | number): string {
  const parts = zoneNames(zoneName()).formatToParts(new Date(moment));
  const part = parts.find(({ type }) => type === 'timeZoneName');
  return part?.value ?? '';
}
