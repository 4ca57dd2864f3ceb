/** Contact, as decisions 7 defines it: computed from times when read, never stored. */
import type { Contact, DeviceStatus } from '@sentinel-node/contracts';
import type { DeviceContactView, DeviceView, FileStateView, FileView } from '../views/index.ts';

/** How many intervals may pass in silence. */
const MISSED_INTERVALS = 3;
const SECOND_MS = 1_000;

type Expected = Pick<DeviceView, 'enabled' | 'healthInterval'>;

/**
 * When (ms) the device is NON_ACTIVE unless it is heard of before; null: it is not waited for.
 * @param lastContact accepted time (ms) of the last thing heard of the device; null: never heard of
 */
export function deviceExpiresAt(device: Expected, lastContact: number | null): number | null {
  if (!device.enabled || lastContact === null) return null;
  return lastContact + MISSED_INTERVALS * device.healthInterval * SECOND_MS;
}

/** @param lastContact as of `deviceExpiresAt` */
export function deviceStatus(device: Expected, lastContact: number | null, now: number): DeviceStatus {
  const expiresAt = deviceExpiresAt(device, lastContact);
  return expiresAt !== null && now >= expiresAt ? 'NON_ACTIVE' : 'ACTIVE';
}

/** When (ms) an agent with an ended key was last refused; null: never, or the device was heard of since. */
export function keyRefusedAt(refusedAt: number | null, lastContact: number | null): number | null {
  return refusedAt !== null && refusedAt > (lastContact ?? 0) ? refusedAt : null;
}

/** Accepted time (ms) of the last successful check: by a report, or named by a heartbeat. */
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

/**
 * Since when (ms) the agent says that it does not look at the file; null: it looks. Its last heartbeat decides: a report
 * that comes later may have waited since before.
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
  /** When (ms) the device was first heard of; null: never, or not known. */
  readonly deviceFirstContact: number | null;
  readonly checkedAt: number | null;
  /** As of `unwatchedSince`. */
  readonly unwatchedAt: number | null;
}

/**
 * When (ms) the file is LOST unless it is checked, or its device heard of, before; null: neither is waited for. The
 * time in which it could not be checked, because monitoring was off, does not count.
 */
export function fileExpiresAt(input: ContactInput): number | null {
  const { device, file, deviceLastContact, deviceFirstContact, checkedAt, unwatchedAt } = input;
  if (!device.enabled || !file.enabled) return null;
  if (unwatchedAt !== null) return unwatchedAt;
  if (checkedAt === null && deviceLastContact === null) return null;
  const began = Math.max(file.creationDate, deviceFirstContact ?? 0);
  const since = Math.max(checkedAt ?? began, file.enabledAt ?? 0, device.enabledAt ?? 0);
  const interval = file.monitoringFrequency === 'PROBE' ? (file.interval ?? 0) : 0;
  const allowed = MISSED_INTERVALS * Math.max(interval, device.healthInterval) * SECOND_MS;
  // Older than the time allowed, so a millisecond more.
  return Math.min(since + allowed + 1, deviceExpiresAt(device, deviceLastContact) ?? Infinity);
}

/**
 * WAITING: never checked, and there was not yet time to (or the device was never heard of). A file that is not
 * monitored is never LOST.
 */
export function fileContact(input: ContactInput & { readonly now: number }): Contact {
  const expiresAt = fileExpiresAt(input);
  if (expiresAt !== null && input.now >= expiresAt) return 'LOST';
  return input.checkedAt === null ? 'WAITING' : 'OK';
}
