/** Finds the paths, labels and contents of alerts at the time they were raised. */
import type { Report } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { normalisedPath } from '../registry/paths.ts';
import {
  type AlertRequestView,
  type AlertView,
  type ExpectedView,
  type LinkView,
  type MaintenanceView,
  subjectViews,
  VIEWS,
  viewsOf,
} from '../views/index.ts';
import { stateOf } from './past-states.ts';

/** State of a file and its device at the time of an alert. */
export interface Described {
  readonly labels: readonly string[];
  /** The whole path, normalised; null when the file is unknown. */
  readonly path: string | null;
}

export const asksForLabels = (windows: readonly MaintenanceView[], lists: readonly ExpectedView[]): boolean =>
  windows.some(({ revisions }) => revisions.some(({ scope }) => scope.labels.length > 0)) ||
  lists.some(({ scope }) => scope.labels.length > 0);

/** Returns the states by alert id. */
export async function describedOf(
  store: DocumentStore,
  alerts: readonly Pick<AlertView, 'id' | 'deviceId' | 'fileId' | 'timestamp'>[],
): Promise<Map<string, Described>> {
  const { devices, files } = await subjectViews(store, alerts);
  const described = new Map<string, Described>();
  for (const { id, deviceId, fileId, timestamp } of alerts) {
    const [device, file] = await Promise.all([
      stateOf(store, devices.get(deviceId), timestamp),
      stateOf(store, files.get(fileId), timestamp),
    ]);
    const path = device === undefined || file === undefined ? null : normalisedPath(device.path, file.path);
    described.set(id, { labels: [...(device?.labels ?? []), ...(file?.labels ?? [])], path });
  }
  return described;
}

/** Returns the hashes of the contents that raised alerts, by link id. */
export async function contentsOf(
  store: DocumentStore,
  alerts: readonly Pick<AlertView, 'hashId'>[],
): Promise<Map<string, string | null>> {
  const links = await viewsOf<LinkView>(
    store,
    VIEWS.links,
    alerts.map(({ hashId }) => hashId),
  );
  return new Map([...links.values()].map(({ id, hash }) => [id, hash]));
}

/**
 * Returns the hashes of the contents that a file had since its last known one, by alert id: a report can have many
 * versions. Its first one is the known one, or what is left of it.
 * @param requests reports by alert id, for alerts whose view is not written yet
 */
export async function reportedOf(
  store: DocumentStore,
  alertIds: readonly string[],
  requests: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, readonly string[]>> {
  const unread = alertIds.filter((id) => !requests.has(id));
  const views = await viewsOf<AlertRequestView>(store, VIEWS.alertRequests, unread);
  return new Map(
    alertIds.flatMap((id) => {
      const request = requests.get(id) ?? views.get(id)?.request;
      return request === undefined ? [] : [[id, hashesIn(request)] as const];
    }),
  );
}

function hashesIn(request: string): string[] {
  const { versions = [] }: Partial<Pick<Report, 'versions'>> = JSON.parse(request);
  return versions.slice(1).map(({ hash }) => hash);
}
