/** Finds the changes of time alone: devices become NON_ACTIVE and files LOST or WAITING without any write. */
import type { QueryContext } from '../context.ts';
import { deviceExpiresAt, lastContactOf } from './contact.ts';
import { statusesOfDevices } from './file-status.ts';
import { devicesHeard } from './read-devices.ts';

export interface Expirations {
  readonly devices: readonly string[];
  readonly files: readonly string[];
  /** When (ms) the next contact expires without a further one; null when no contact is expected. */
  readonly nextAt: number | null;
}

/** Returns the contacts that expired after `since` (ms) and by now. */
export async function readExpirations(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  orgId: string,
  since: number,
): Promise<Expirations> {
  const now = clock.now();
  const found = { devices: [] as string[], files: [] as string[], nextAt: null as number | null };
  const take = (kind: 'devices' | 'files', id: string, times: readonly (number | null)[]): void => {
    const after = times.filter((at) => at !== null).filter((at) => at > since);
    if (after.some((at) => at <= now)) found[kind].push(id);
    for (const at of after) if (at > now) found.nextAt = Math.min(at, found.nextAt ?? at);
  };
  const known = await devicesHeard(store, orgId);
  for (const device of known.devices)
    take('devices', device.id, [
      deviceExpiresAt(device, lastContactOf(known.activity.get(device.id), known.ahead)),
    ]);
  for await (const files of statusesOfDevices(store, known, now))
    for (const { view, expiresAt, waitsAt } of files) take('files', view.id, [expiresAt, waitsAt]);
  return found;
}
