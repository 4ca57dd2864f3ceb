import type { Document, DocumentStore } from '@sentinel-node/platform';
import { filePages, knownDevicesOf } from '../devices/index.ts';
import { VIEWS, viewsOf, type FileStateView, type ViewName } from '../views/index.ts';
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
  const take = (name: ViewName, documents: readonly Document[]): void => into.take(name, documents, 'stored');
  const known = await knownDevicesOf(store, orgId);
  let files = 0;
  for (const { filesCount } of known.devices.values()) files += filesCount;
  if (known.devices.size + files > limit) return false;
  take(VIEWS.devices, [...known.devices.values()]);
  take(VIEWS.deviceActivity, [...known.activity.values()]);
  take(VIEWS.deviceContacts, [...known.contacts.values()]);
  take(VIEWS.deviceFirstContacts, [...known.firstContacts.values()]);
  for await (const page of filePages(store, orgId, STEP_DOCUMENTS)) {
    const ids = page.map(({ id }) => id);
    const states = await viewsOf<FileStateView>(store, VIEWS.fileStates, ids);
    take(VIEWS.files, page);
    take(VIEWS.fileStates, [...states.values()]);
  }
  for await (const alerts of recentAlerts(store, orgId, healthSince(now))) take(VIEWS.alerts, alerts);
  return true;
}
