import type { DocumentStore } from '@sentinel-node/platform';
import { filePages, knownDevicesOf } from '../devices/index.ts';
import { VIEWS, viewsOf, type FileStateView } from '../views/index.ts';
import { healthSince } from './health-since.ts';
import type { KnownOrganization } from './known-organization.ts';
import { recentAlerts } from './recent-alerts.ts';

/** Files that are read at once: few enough that other reads do not wait long behind them. */
const STEP_DOCUMENTS = 500;

/**
 * Reads all devices and files of an organisation. What is written meanwhile has to be given to `into` by the writer.
 * False, before a file was read: there are more than `limit` files. @param now milliseconds
 */
export async function loadOrganization(
  store: DocumentStore,
  orgId: string,
  into: KnownOrganization,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<boolean> {
  const known = await knownDevicesOf(store, orgId);
  let files = 0;
  for (const { filesCount } of known.devices.values()) files += filesCount;
  if (known.devices.size + files > limit) return false;
  into.take(VIEWS.devices, [...known.devices.values()]);
  into.take(VIEWS.deviceActivity, [...known.activity.values()]);
  into.take(VIEWS.deviceContacts, [...known.contacts.values()]);
  into.take(VIEWS.deviceFirstContacts, [...known.firstContacts.values()]);
  for await (const page of filePages(store, orgId, STEP_DOCUMENTS)) {
    const ids = page.map(({ id }) => id);
    const states = await viewsOf<FileStateView>(store, VIEWS.fileStates, ids);
    into.take(VIEWS.files, page);
    into.take(VIEWS.fileStates, [...states.values()]);
  }
  for await (const alerts of recentAlerts(store, orgId, healthSince(now))) into.take(VIEWS.alerts, alerts);
  return true;
}
