/** Computes contact (decisions 7) from times on each read; it is never stored. */
import type { Contact, DeviceStatus } from '@sentinel-node/contracts';
import type { DeviceContactView, DeviceView, FileStateView, FileView } from '../views/index.ts';

/** Silent intervals until a contact expires. */
const MISSED_INTERVALS = 3;
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

/** Returns the accepted time (ms) of the last successful check, from a report or a heartbeat. */
export function lastCheck(
  fileId: string,
  state: Pick<FileStateView, 'checkedAt'> | undefined,
  heartbeat: DeviceContactView | undefined,
): number | null {
  const reported = state?.checkedAt ?? null;
  const named = heartbeat?.checkedAt[fileId] ?? null;
  if (reported === null || named === null) return reported ?? named;
  return Math.max(reported, named);
}

/** Returns whether a report of a successful check was judged. */
export const isCheckReported = (state: Pick<FileStateView, 'checkedAt'> | undefined): boolean =>
  (state?.checkedAt ?? null) !== null;

/**
 * Returns since when (ms) the agent says that it does not check the file; null when it does. The last heartbeat
 * decides, because a later report may have waited at the agent since before.
 */
export function unwatchedSince(
  fileId: string,
  heartbeat: Pick<DeviceContactView, 'rev' | 'problems'> | undefined,
): number | null {
  return heartbeat?.problems?.[fileId] === undefined ? null : heartbeat.rev;
}

export interface ContactInput {
  readonly device: Pick<DeviceView, 'enabled' | 'healthInterval' | 'enabledAt'>;
  readonly file: Pick<
    FileView,
    'enabled' | 'monitoringFrequency' | 'interval' | 'creationDate' | 'enabledAt'
  >;
  readonly deviceLastContact: number | null;
  /** Time (ms) of the device's first contact; null when there is none or it is unknown. */
  readonly deviceFirstContact: number | null;
  readonly checkedAt: number | null;
  /** True when a report of a check was judged: only then the heartbeats between reports show something. */
  readonly isReported: boolean;
  /** As in `unwatchedSince`. */
  readonly unwatchedAt: number | null;
}

/**
 * Returns when (ms) the file becomes LOST without a check or contact; null when neither is expected. The time while
 * monitoring was off does not count. Without a report heartbeats do not prolong the time of a file that was never checked: they
 * carry contact between reports.
 */
export function fileExpiresAt(input: ContactInput): number | null {
  const { device, file, deviceLastContact, deviceFirstContact, checkedAt, isReported, unwatchedAt } = input;
  if (!device.enabled || !file.enabled) return null;
  if (unwatchedAt !== null) return unwatchedAt;
  if (checkedAt === null && deviceLastContact === null) return null;
  const began = Math.max(file.creationDate, deviceFirstContact ?? 0);
  const since = Math.max(
    isReported && checkedAt !== null ? checkedAt : began,
    file.enabledAt ?? 0,
    device.enabledAt ?? 0,
  );
  const interval = file.monitoringFrequency === 'PROBE' ? (file.interval ?? 0) : 0;
  const allowed = MISSED_INTERVALS * Math.max(interval, device.healthInterval) * SECOND_MS;
  // LOST means older than the allowed time, so one millisecond more.
  return Math.min(since + allowed + 1, deviceExpiresAt(device, deviceLastContact) ?? Infinity);
}

/**
 * Returns WAITING for a file without a check while there was no time for one, or the device had no contact. A file that
 * is not monitored is never LOST.
 */
export function fileContact(input: ContactInput & { readonly now: number }): Contact {
  const expiresAt = fileExpiresAt(input);
  if (expiresAt !== null && input.now >= expiresAt) return 'LOST';
  return input.checkedAt === null ? 'WAITING' : 'OK';
}
