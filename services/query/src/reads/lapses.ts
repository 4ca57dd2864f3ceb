/** What time alone changes: devices become NON_ACTIVE and files LOST without anything being written. */
import { VIEWS, type DeviceActivityView } from '../views/index.ts';
import { deviceLapsesAt } from './contact.ts';
import { viewsOf, type ReadContext } from './context.ts';
import { filesOfOrganization } from './dashboard.ts';
import { devicesOf, fileItems } from './devices.ts';

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
  const devices = await devicesOf(store, orgId);
  const ids = devices.map(({ id }) => id);
  const activity = await viewsOf<DeviceActivityView>(store, VIEWS.deviceActivity, ids);
  for (const device of devices)
    take('devices', device.id, deviceLapsesAt(device, activity.get(device.id)?.rev ?? null));
  for await (const files of filesOfOrganization(store, orgId))
    for (const { view, lapsesAt } of await fileItems(store, files, now)) take('files', view.id, lapsesAt);
  return found;
}
