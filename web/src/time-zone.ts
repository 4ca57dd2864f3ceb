/** The zone in which times are shown and days are meant: the machine's own, or UTC. `state/zone.ts` keeps the choice. */
let utc = false;

export function showUtc(on: boolean): void {
  utc = on;
}

export const isUtc = (): boolean => utc;

/** IANA name, as the server takes it. */
export const zoneName = (): string => (utc ? 'UTC' : localZone());

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `UTC`, `GMT+1` or `EST`: what the zone is called at that moment. */
export function zoneAt(moment: string | number): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zoneName(), timeZoneName: 'short' });
  const part = format.formatToParts(new Date(moment)).find(({ type }) => type === 'timeZoneName');
  return part?.value ?? '';
}
