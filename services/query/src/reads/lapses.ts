/** What time alone changes: devices become NON_ACTIVE and files LOST without anything being written. */
import { deviceLapsesAt } from './contact.ts';
import type { ReadContext } from './context.ts';
import { knownDevicesOf } from './devices.ts';
import { statusesOfOrganization } from './file-status.ts';

export interface Lapses {
  readonly devices: readonly string[];
  readonly files: readonly string[];
  /** When (ms) the next one lapses unless it is heard of before; null: none is waited for. */
  readonly nextAt: number | null;
}

/** What lapsed after `since` (ms) and by now. */
export async function readLapses(
  { store, clock }: ReadContext,
  orgId: string,
  since: number,
): Promise<Lapses> {
  const now = clock.now();
  const found = { devices: [] as string[], files: [] as string[], nextAt: null as number | null };
  const take = (kind: 'devices' | 'files', id: string, at: number | null): void => {
    if (at === null || at <= since) return;
    if (at <= now) found[kind].push(id);
    else found.nextAt = Math.min(at, found.nextAt ?? at);
  };
  const known = await knownDevicesOf(store, orgId);
  for (const device of known.devices.values())
    take('devices', device.id, deviceLapsesAt(device, known.activity.get(device.id)?.rev ?? null));
  for await (const files of statusesOfOrganization(store, orgId, known, now))
    for (const { view, lapsesAt } of files) take('files', view.id, lapsesAt);
  return found;
}
