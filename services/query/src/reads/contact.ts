/** Contact, as decisions 7 defines it: computed from times when read, never stored. */
import type { Contact, DeviceStatus } from '@sentinel-node/contracts';
import type { DeviceContactView, DeviceView, FileStateView, FileView } from '../views/index.ts';

/** How many intervals may pass in silence. */
const MISSED_INTERVALS = 3;
const SECOND_MS = 1_000;

/** @param lastContact accepted time (ms) of the last thing heard of the device; null: never heard of */
export function deviceStatus(
  device: Pick<DeviceView, 'enabled' | 'healthInterval'>,
  lastContact: number | null,
  now: number,
): DeviceStatus {
  if (!device.enabled || lastContact === null) return 'ACTIVE';
  const silent = now - lastContact >= MISSED_INTERVALS * device.healthInterval * SECOND_MS;
  return silent ? 'NON_ACTIVE' : 'ACTIVE';
}

/** Accepted time (ms) of the last successful check: by a report, or named by a heartbeat. */
export function lastCheck(
  fileId: string,
  state: FileStateView | undefined,
  heartbeat: DeviceContactView | undefined,
): number | null {
  const reported = state?.checkedAt ?? null;
  const named = heartbeat?.checkedAt[fileId] ?? null;
  if (reported === null || named === null) return reported ?? named;
  return Math.max(reported, named);
}

export interface ContactInput {
  readonly device: Pick<DeviceView, 'enabled' | 'healthInterval'>;
  readonly file: Pick<FileView, 'enabled' | 'monitoringFrequency' | 'interval' | 'creationDate'>;
  readonly deviceLastContact: number | null;
  readonly checkedAt: number | null;
  readonly now: number;
}

/**
 * WAITING: never checked, and there was not yet time to (or the device was never heard of). A file that is not
 * monitored is never LOST.
 */
export function fileContact({ device, file, deviceLastContact, checkedAt, now }: ContactInput): Contact {
  const monitored = device.enabled && file.enabled;
  if (!monitored) return checkedAt === null ? 'WAITING' : 'OK';
  if (checkedAt === null && deviceLastContact === null) return 'WAITING';
  if (deviceStatus(device, deviceLastContact, now) === 'NON_ACTIVE') return 'LOST';
  const interval = file.monitoringFrequency === 'PROBE' ? (file.interval ?? 0) : 0;
  const allowed = MISSED_INTERVALS * Math.max(interval, device.healthInterval) * SECOND_MS;
  if (now - (checkedAt ?? file.creationDate) > allowed) return 'LOST';
  return checkedAt === null ? 'WAITING' : 'OK';
}
