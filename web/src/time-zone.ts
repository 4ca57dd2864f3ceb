/** The zone of shown times and entered days: the machine's or UTC. `state/zone.ts` stores the choice. */
let utc = false;

export function showUtc(on: boolean): void {
  utc = on;
}

export const isUtc = (): boolean => utc;

/** Returns the zone's IANA name, for the server. */
export const zoneName = (): string => (utc ? 'UTC' : localZone());

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the zone's short name at a moment: `UTC`, `GMT+1` or `EST`. */
export function zoneAt(moment: string | number): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zoneName(), timeZoneName: 'short' });
  const part = format.formatToParts(new Date(moment)).find(({ type }) => type === 'timeZoneName');
  return part?.value ?? '';
}
