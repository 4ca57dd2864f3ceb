/** Form values of a maintenance window. */
import { LIMITS, WEEKDAYS, type Weekday } from '@sentinel-node/contracts';
import type { MaintenanceInput, Maintenance } from '../answers.ts';
import { dayError, LAST_DAY } from '../date-range.ts';
import { isUtc, zoneName } from '../time-zone.ts';
import { labelsOf, namedLabelsError } from './labels.ts';
import { atLeast, required } from './rules.ts';
import type { Errors } from './use-form.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOURS_MAX = LIMITS.windowDaysMax * 24;

export interface ScopeValues {
  covers: string;
  devices: readonly string[];
  labels: string;
}

export interface MaintenanceValues extends ScopeValues {
  reason: string;
  /** NOW, PLANNED or WEEKLY. */
  when: string;
  hours: string;
  /** Start and end in the form of a datetime-local input. */
  start: string;
  end: string;
  days: readonly Weekday[];
  /** HH:MM. */
  from: string;
  minutes: string;
}

export const newScope: ScopeValues = { covers: 'DEVICES', devices: [], labels: '' };

export const newMaintenance: MaintenanceValues = {
  ...newScope,
  reason: '',
  when: 'NOW',
  hours: '2',
  start: '',
  end: '',
  days: [],
  from: '',
  minutes: '120',
};

/** @param most labels that may be named */
export const scopeErrors = (
  { covers, devices, labels }: ScopeValues,
  most: number = LIMITS.scopeLabels,
): Errors<ScopeValues> => ({
  devices: covers === 'DEVICES' && devices.length === 0 ? 'Choose at least one device' : undefined,
  labels:
    covers === 'LABELS'
      ? (required(labels, 'Write at least one label') ?? namedLabelsError(labels, most))
      : undefined,
});

/** Latest value of a datetime-local input. */
export const LAST_MOMENT = `${LAST_DAY}T23:59`;

/** Returns what is wrong with the value of a datetime-local input. @param empty text for no value */
const momentError = (local: string, empty: string): string | undefined =>
  required(local, empty) ?? dayError(local.slice(0, local.indexOf('T')), empty);

export function maintenanceErrors(values: MaintenanceValues): Errors<MaintenanceValues> {
  const { when, start, end } = values;
  const weekly = when === 'WEEKLY';
  const isBackwards = when === 'PLANNED' && start !== '' && end !== '' && end <= start;
  return {
    ...scopeErrors(values),
    reason: required(values.reason, 'Reason is required'),
    hours:
      when === 'NOW' ? atLeast(values.hours, 1, HOURS_MAX, `A number from 1 to ${HOURS_MAX}`) : undefined,
    start: when === 'PLANNED' ? momentError(start, 'Start is required') : undefined,
    end:
      when === 'NOW'
        ? undefined
        : (momentError(end, 'End is required') ??
          (isBackwards ? 'The end lies before the start' : undefined)),
    days: weekly && values.days.length === 0 ? 'Choose at least one day' : undefined,
    from: weekly ? required(values.from, 'Time is required') : undefined,
    minutes: weekly
      ? atLeast(values.minutes, 1, LIMITS.weeklyMinutesMax, `A number from 1 to ${LIMITS.weeklyMinutesMax}`)
      : undefined,
  };
}

export function scopeOf({ covers, devices, labels }: ScopeValues): MaintenanceInput['scope'] {
  if (covers === 'EVERYTHING') return { everything: true };
  return covers === 'LABELS' ? { labels: labelsOf(labels) } : { deviceIds: [...devices] };
}

/** Converts a local time in the chosen zone to ISO 8601. */
export const instantOf = (local: string): string => new Date(isUtc() ? `${local}Z` : local).toISOString();

/** Converts valid form values to a request. @param now ms since 1970 */
export function maintenanceRequest(values: MaintenanceValues, now: number): MaintenanceInput {
  const { when, hours, start, end, days, from, minutes } = values;
  const whole = { reason: values.reason.trim(), scope: scopeOf(values) };
  if (when === 'NOW') return { ...whole, end: new Date(now + Number(hours) * HOUR_MS).toISOString() };
  if (when === 'PLANNED') return { ...whole, start: instantOf(start), end: instantOf(end) };
  const ordered = WEEKDAYS.filter((day) => days.includes(day));
  const weekly = { days: ordered, from, minutes: Number(minutes), timeZone: zoneName() };
  return { ...whole, end: instantOf(end), weekly };
}

/** Converts a time to the form of a datetime-local input in the chosen zone, without seconds. */
export function localOf(instant: string): string {
  const at = new Date(instant);
  const shifted = isUtc() ? at : new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS);
  return shifted.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

type Change = Pick<MaintenanceValues, 'reason' | 'end'>;

export const changeErrors = ({ reason, end }: Change): Errors<Change> => ({
  reason: required(reason, 'Reason is required'),
  end: momentError(end, 'End is required'),
});

/** Converts a valid change to a request; the other fields stay. */
export function changeRequest(
  { scope, start, end: before, weekly, state }: Maintenance,
  { reason, end }: Change,
): MaintenanceInput {
  return {
    reason: reason.trim(),
    scope,
    ...(state === 'PLANNED' && { start }),
    end: end === localOf(before) ? before : instantOf(end),
    ...(weekly !== null && { weekly }),
  };
}
