import type { File } from '../answers.ts';

/** States of a file, the most pressing first. */
const FILE_STATES = [
  'ALERTS',
  'PARKED',
  'LOST',
  'UNKNOWN',
  'MISSING',
  'WAITING',
  'OFF',
  'IN_CONTACT',
] as const;

/** Returns the state that is shown of a file. */
export function fileStateOf(file: File, deviceEnabled: boolean): (typeof FILE_STATES)[number] {
  if (file.activeAlerts > 0) return 'ALERTS';
  if (file.parked !== undefined) return 'PARKED';
  if (!file.enabled || !deviceEnabled) return 'OFF';
  if (file.contact === 'LOST') return 'LOST';
  if (file.missing) return 'MISSING';
  if (file.contact === 'WAITING') return 'WAITING';
  return file.contact === 'OK' ? 'IN_CONTACT' : 'UNKNOWN';
}

/** Returns a sort key that puts files with problems first, those with most active alerts before all others. */
export function troubleOf(file: File, deviceEnabled: boolean): number {
  const state = fileStateOf(file, deviceEnabled);
  return state === 'ALERTS' ? -file.activeAlerts : FILE_STATES.indexOf(state);
}
