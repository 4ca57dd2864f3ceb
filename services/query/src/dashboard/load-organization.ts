import type { Document, DocumentStore } from '@sentinel-node/platform';
import { devicesOf, filePages, readContacts, STEP_DEVICES } from '../devices/index.ts';
import { marksOf } from '../maintenance/index.ts';
import { VIEWS, viewsOf, type FileStateView, type ViewName } from '../views/index.ts';
import { healthSince } from './health-since.ts';
import type { KnownOrganization } from './known-organization.ts';
import { FILES_A_STEP } from './limits.ts';
import { recentAlerts } from './recent-alerts.ts';

/**
 * Reads all devices and files of an organisation. The writer must pass concurrent writes to `into`.
 * @param now milliseconds
 * @returns false, before reading files, when the organisation has more than `limit` devices and files
 */
export async function loadOrganization(
  store: DocumentStore,
  orgId: string,
  into: KnownOrganization,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<boolean> {
  const take = (name: ViewName, documents: readonly Document[]): void => into.take(name, documents, 'stored');
  const devices = await devicesOf(store, orgId);
  if (devices.reduce((sum, { filesCount }) => sum + 1 + filesCount, 0) > limit) return false;
  for (let at = 0; at < devices.length; at += STEP_DEVICES) {
    const step = devices.slice(at, at + STEP_DEVICES);
    const { activity, contacts, firstContacts, ahead } = await readContacts(
      store,
      step.map(({ id }) => id),
    );
    into.setAhead(ahead);
    take(VIEWS.devices, step);
    take(VIEWS.deviceActivity, [...activity.values()]);
    take(VIEWS.deviceContacts, [...contacts.values()]);
    take(VIEWS.deviceFirstContacts, [...firstContacts.values()]);
  }
  for await (const page of filePages(store, orgId, FILES_A_STEP)) {
    const ids = page.map(({ id }) => id);
    const states = await viewsOf<FileStateView>(store, VIEWS.fileStates, ids);
    take(VIEWS.files, page);
    take(VIEWS.fileStates, [...states.values()]);
  }
  for await (const alerts of recentAlerts(store, orgId, healthSince(now))) {
    // Before their marks are read: a window or list that is written meanwhile has the alerts that are known marked anew.
    take(VIEWS.alerts, alerts);
    into.setAside(alerts, await marksOf(store, alerts));
  }
  return true;
}
