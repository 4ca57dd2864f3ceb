/** Computes contact (decision 7 of the specification) from times on each read; it is never stored. */
import type { Contact, DeviceStatus } from '@sentinel-node/contracts';
import { heardBy, type ClockAhead } from '@sentinel-node/platform';
import type {
  DeviceActivityView,
  DeviceContactView,
  DeviceFirstContactView,
  DeviceView,
  FileStateView,
  FileView,
} from '../views/index.ts';

/** Silent intervals until a contact expires. */
const MISSED_INTERVALS = 3;
/** Interval (s) in which an agent reports a file even if nothing changed (decision 5 of the specification). */
const REPORT_INTERVAL_S = 3_600;
const SECOND_MS = 1_000;

type Expected = Pick<DeviceView, 'enabled' | 'healthInterval'>;

/**
 * Returns when (ms) the device becomes NON_ACTIVE without further contact; null when no contact is expected.
 * @param lastContact accepted time (ms) of the device's last contact; null without one
 */
export function deviceExpiresAt(device: Expected, lastContact: number | null): number | null {
  if (!device.enabled || lastContact === null) return null;
  return lastContact + MISSED_INTERVALS * device.healthInterval * SECOND_MS;
}

/** @param lastContact as in `deviceExpiresAt` */
export function deviceStatus(device: Expected, lastContact: number | null, now: number): DeviceStatus {
  const expiresAt = deviceExpiresAt(device, lastContact);
  return expiresAt !== null && now >= expiresAt ? 'NON_ACTIVE' : 'ACTIVE';
}

/** Returns when (ms) an agent with an ended key was last refused; null when never, or when a contact followed. */
export function keyRefusedAt(refusedAt: number | null, lastContact: number | null): number | null {
  return refusedAt !== null && refusedAt > (lastContact ?? 0) ? refusedAt : null;
}

/** The time of a read, and the times that a clock which was ahead gave. */
export interface Moment {
  /** Milliseconds. */
  readonly now: number;
  readonly ahead: ClockAhead | undefined;
}

/**
 * Returns when (ms) something stamped with this time happened at the latest. Only a time that has not come yet is known to be of
 * a clock that was ahead: unlike contacts of devices, these times are not told apart from those of the same moments later.
 */
const pastOf = (at: number, { now, ahead }: Moment): number => (at > now ? heardBy(at, ahead) : at);

/** Returns the accepted time (ms) of the last contact; null without one. */
export function lastContactOf(
  activity: Pick<DeviceActivityView, 'rev' | 'at'> | undefined,
  ahead: ClockAhead | undefined,
): number | null {
  return activity === undefined ? null : (activity.at ?? heardBy(activity.rev, ahead));
}

type CheckOfState = Pick<FileStateView, 'checkedAt' | 'configVersion'>;

/**
 * Returns the accepted time (ms) of the last successful check, from a report or a heartbeat. A heartbeat does not say which path the
 * agent looked at: after another path it counts from the first judged report of that path on.
 */
export function lastCheck(
  { id, moved }: Pick<FileView, 'id' | 'moved'>,
  state: CheckOfState | undefined,
  heartbeat: Pick<DeviceContactView, 'checkedAt' | 'at'> | undefined,
  moment: Moment,
): number | null {
  const reported = lastReportedCheck({ moved }, state, moment);
  if (reported === null && moved !== undefined) return null;
  const told = heartbeat?.checkedAt[id] ?? null;
  const named = told === null || heartbeat?.at !== undefined ? told : heardBy(told, moment.ahead);
  if (reported === null || named === null) return reported ?? named;
  return Math.max(reported, named);
}

/**
 * Returns the accepted time (ms) of the last judged report of a successful check of the present path; null without one. The state
 * is of an earlier path until the change of the path is judged too; from then on it tells by itself.
 */
export function lastReportedCheck(
  { moved }: { readonly moved?: FileView['moved'] },
  state: CheckOfState | undefined,
  moment: Moment,
): number | null {
  const at = state?.checkedAt ?? null;
  if (at === null || (state?.configVersion ?? 0) < (moved?.version ?? 0)) return null;
  return pastOf(at, moment);
}

/**
 * Returns since when (ms) the agent says that it does not check the file; null when it does. The last heartbeat
 * decides, because a later report may have waited at the agent since before.
 */
export function unwatchedSince(
  fileId: string,
  heartbeat: Pick<DeviceContactView, 'rev' | 'at' | 'problems'> | undefined,
  ahead: ClockAhead | undefined,
): number | null {
  return heartbeat?.problems?.[fileId] === undefined ? null : lastContactOf(heartbeat, ahead);
}

export interface ContactInput {
  readonly device: Pick<DeviceView, 'enabled' | 'healthInterval' | 'enabledAt'>;
  readonly file: Pick<
    FileView,
    'enabled' | 'monitoringFrequency' | 'interval' | 'creationDate' | 'enabledAt' | 'moved'
  >;
  readonly deviceLastContact: number | null;
  /** Time (ms) of the device's first contact; null when there is none or it is unknown. */
  readonly deviceFirstContact: number | null;
  readonly checkedAt: number | null;
  /** As in `lastReportedCheck`: heartbeats show something only between reports that are judged. */
  readonly reportedAt: number | null;
  /** As in `unwatchedSince`. */
  readonly unwatchedAt: number | null;
}

export interface ContactViewsOfFile {
  readonly device: ContactInput['device'];
  readonly file: ContactInput['file'] & Pick<FileView, 'id'>;
  readonly state: CheckOfState | undefined;
  readonly activity: DeviceActivityView | undefined;
  readonly heartbeat: DeviceContactView | undefined;
  readonly firstContact: DeviceFirstContactView | undefined;
}

export function contactInput(views: ContactViewsOfFile, moment: Moment): ContactInput {
  const { device, file, state, activity, heartbeat, firstContact } = views;
  const { ahead } = moment;
  return {
    device: withPastTimes(device, moment),
    file: withPastTimes(file, moment),
    deviceLastContact: lastContactOf(activity, ahead),
    deviceFirstContact: firstContact === undefined ? null : pastOf(-firstContact.rev, moment),
    checkedAt: lastCheck(file, state, heartbeat, moment),
    reportedAt: lastReportedCheck(file, state, moment),
    unwatchedAt: unwatchedSince(file.id, heartbeat, ahead),
  };
}

/** Times (ms) of a device or file that the clock of the server gave. */
interface Stamped {
  readonly enabledAt?: number;
  readonly creationDate?: number;
  readonly moved?: FileView['moved'];
}

function withPastTimes<T extends Stamped>(entity: T, moment: Moment): T {
  const { enabledAt, creationDate, moved } = entity;
  const latest = Math.max(enabledAt ?? 0, creationDate ?? 0, moved?.at ?? 0);
  if (moment.ahead === undefined || latest <= moment.now) return entity;
  return {
    ...entity,
    ...(moved === undefined ? {} : { moved: { ...moved, at: pastOf(moved.at, moment) } }),
    ...(enabledAt === undefined ? {} : { enabledAt: pastOf(enabledAt, moment) }),
    ...(creationDate === undefined ? {} : { creationDate: pastOf(creationDate, moment) }),
  };
}

/**
 * Returns when (ms) the file becomes LOST without a check or contact; null when neither is expected. The time while
 * monitoring was off does not count. Heartbeats carry contact between reports: without a report they do not prolong the time of a
 * file that was never checked, and after the last judged report no longer than three intervals of reports.
 */
export function fileExpiresAt(input: ContactInput): number | null {
  const { device, file, deviceLastContact, deviceFirstContact, checkedAt, reportedAt, unwatchedAt } = input;
  if (!device.enabled || !file.enabled) return null;
  if (unwatchedAt !== null) return unwatchedAt;
  if (checkedAt === null && deviceLastContact === null) return null;
  const began = Math.max(file.creationDate, file.moved?.at ?? 0, deviceFirstContact ?? 0);
  const monitoredAt = Math.max(file.enabledAt ?? 0, device.enabledAt ?? 0);
  const interval = intervalOf(input);
  const expiresAfter = (since: number, intervalS: number): number =>
    olderAfter(Math.max(since, monitoredAt), intervalS);
  return Math.min(
    expiresAfter(reportedAt !== null && checkedAt !== null ? checkedAt : began, interval),
    reportedAt === null ? Infinity : expiresAfter(reportedAt, Math.max(interval, REPORT_INTERVAL_S)),
    deviceExpiresAt(device, deviceLastContact) ?? Infinity,
  );
}

/**
 * Returns when (ms) the file, until it is LOST, is waited for as one that was never checked: its last check is from before
 * monitoring was off, and too old to show anything. Null for other files.
 */
export function fileWaitsAt(input: ContactInput): number | null {
  const { device, file, checkedAt } = input;
  if (!device.enabled || !file.enabled || checkedAt === null) return null;
  const waitsAt = olderAfter(checkedAt, intervalOf(input));
  return waitsAt < (fileExpiresAt(input) ?? Infinity) ? waitsAt : null;
}

/** Returns WAITING for a file without a check that counts, while there was no time for one or the device had no contact. */
export function fileContact(input: ContactInput & { readonly now: number }): Contact {
  const { checkedAt, now } = input;
  if (now >= (fileExpiresAt(input) ?? Infinity)) return 'LOST';
  return checkedAt === null || now >= (fileWaitsAt(input) ?? Infinity) ? 'WAITING' : 'OK';
}

/** Returns the seconds after which a check is due again. */
const intervalOf = ({ device, file }: Pick<ContactInput, 'device' | 'file'>): number =>
  Math.max(file.monitoringFrequency === 'PROBE' ? (file.interval ?? 0) : 0, device.healthInterval);

/** Returns when (ms) a time is older than the silent intervals allow: one millisecond after them. */
const olderAfter = (since: number, intervalS: number): number =>
  since + MISSED_INTERVALS * intervalS * SECOND_MS + 1;
