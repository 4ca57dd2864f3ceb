import { type Readable } from '@sentinel-node/contracts';
/** Maintenance windows in words. */
import type { MaintenanceState, Scope, Weekday, Weekly } from '@sentinel-node/contracts';
import { exactDuration, plural, shownTimeOfDay, wordFor } from '../format.ts';
import type { DeviceNames } from '../state/device-names.ts';
import type { Tone } from '../ui/Badge.tsx';
import type { IconName } from '../ui/Icon.tsx';

export const dayWord: Record<Weekday, string> = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
};

export const maintenanceLook: Record<MaintenanceState, { word: string; tone: Tone; icon?: IconName }> = {
  PLANNED: { word: 'Planned', tone: 'neutral', icon: 'calendar' },
  OPEN: { word: 'Open', tone: 'accent', icon: 'pulse' },
  PAUSED: { word: 'Between its times', tone: 'neutral', icon: 'calendar' },
  ENDED: { word: 'To be reviewed', tone: 'warning', icon: 'alert' },
  REVIEWED: { word: 'Reviewed', tone: 'success', icon: 'check' },
  CANCELLED: { word: 'Cancelled', tone: 'neutral' },
};

/** Returns the scope in words; only the number of its devices while their names are not known. */
export function scopeWords(scope: Scope, nameOf: DeviceNames): string {
  if (scope.everything) return 'All devices';
  const devices = deviceWords((scope.deviceIds ?? []).map(nameOf));
  const files = scope.fileIds === undefined ? [] : [plural(scope.fileIds.length, 'file')];
  return [...devices, ...files, ...(scope.labels ?? [])].join(', ');
}

function deviceWords(found: readonly (string | null | undefined)[]): string[] {
  if (found.includes(null)) return [plural(found.length, 'device')];
  const names = found.map((name) => name ?? 'a deleted device');
  return names.length > 3 ? [...names.slice(0, 2), plural(names.length - 2, 'other device')] : names;
}

export const weeklyWords = ({ days, from, minutes, timeZone }: Readable<Weekly>): string =>
  `${days.map((day) => wordFor(dayWord, day)).join(', ')} at ${shownTimeOfDay(from)} (${timeZone}) for ${exactDuration(minutes * 60)}`;
