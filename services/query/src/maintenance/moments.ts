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

/**
 * Returns the hashes of the contents that raised alerts, by link id.
 * @param known of links whose views may not be written yet
 */
export async function contentsOf(
  store: DocumentStore,
  alerts: readonly Pick<AlertView, 'hashId'>[],
  known: AlertSources['contents'] = NO_SOURCES.contents,
): Promise<Map<string, string | null>> {
  const unread = new Set(alerts.map(({ hashId }) => hashId).filter((id) => !known.has(id)));
  const links = await viewsOf<LinkView>(store, VIEWS.links, [...unread]);
  return new Map([...known, ...[...links.values()].map(({ id, hash }) => [id, hash] as const)]);
}

/** An alert whose report is asked for. */
export interface Reported {
  readonly id: string;
  readonly fileId: string;
  /** Link that the alert was raised by. */
  readonly hashId: string;
  readonly contentHash: string | null;
}

/**
 * Returns the hashes of the contents that a file had since the last one that its chain has, by alert id: a report can
 * have many versions.
 * @param sources entries and reports of alerts whose views are not written yet
 */
export async function reportedOf(
  store: DocumentStore,
  alerts: readonly Reported[],
  { requests, links }: Pick<AlertSources, 'requests' | 'links'> = NO_SOURCES,
): Promise<Map<string, readonly string[]>> {
  const unread = alerts.filter(({ id }) => !requests.has(id)).map(({ id }) => id);
  const views = await viewsOf<AlertRequestView>(store, VIEWS.alertRequests, unread);
  const hashesOf = async (alert: Reported): Promise<readonly string[] | undefined> => {
    const request = requests.get(alert.id) ?? views.get(alert.id)?.request;
    if (request === undefined) return undefined;
    const report: ReportedVersions = JSON.parse(request);
    const [first, ...later] = report.versions ?? [];
    if (first === undefined) return undefined;
    const hashes = later.map(({ hash }) => hash);
    const isKnown =
      first.hash === alert.contentHash || isRest(report, await contentBefore(store, alert, links));
    return isKnown ? hashes : [first.hash, ...hashes];
  };
  const read: (readonly [string, readonly string[]])[] = [];
  for (let at = 0; at < alerts.length; at += READS_AT_ONCE) {
    const some = alerts.slice(at, at + READS_AT_ONCE);
    const hashes = await Promise.all(some.map(hashesOf));
    read.push(
      ...some.flatMap(({ id }, index) => (hashes[index] === undefined ? [] : [[id, hashes[index]] as const])),
    );
  }
  return new Map(read);
}

/** The facts in the records of alerts, for alerts whose views are not written yet. */
export interface AlertSources {
  /** Content hashes by link id. */
  readonly contents: ReadonlyMap<string, string | null>;
  /** Reports that raised alerts, by alert id. */
  readonly requests: ReadonlyMap<string, string>;
  /** Links of the same records by file. */
  readonly links: ReadonlyMap<string, readonly LinkContent[]>;
}

export type LinkContent = Pick<LinkView, 'id' | 'number' | 'hash' | 'length'>;

const NO_SOURCES: AlertSources = { contents: new Map(), requests: new Map(), links: new Map() };

/** Reads of one list at the same time. */
const READS_AT_ONCE = 8;
/** Links without content before an alert that are passed over. */
const LINKS_BEFORE = 10;

type ReportedVersions = Partial<Pick<Report, 'versions' | 'reread'>>;

/** Returns the content that the chain has before the link; undefined when none is known. */
async function contentBefore(
  store: DocumentStore,
  { fileId, hashId }: Reported,
  sources: AlertSources['links'],
): Promise<LinkContent | undefined> {
  const own = sources.get(fileId) ?? [];
  const link = own.find(({ id }) => id === hashId) ?? (await store.get(VIEWS.links, hashId));
  if (link === undefined) return undefined;
  const stored = await store.find(VIEWS.links, {
    where: { fileId, number: { lt: link.number } },
    sort: { field: 'number', direction: 'desc' },
    limit: LINKS_BEFORE,
  });
  return [...own.filter(({ number }) => number < link.number), ...stored]
    .toSorted((one, other) => other.number - one.number)
    .find(({ hash }) => hash !== null);
}

/**
 * Returns whether the first version of a report is the known one or, of a followed file, as many bytes of the file that is
 * there now: these are compared by their number alone, because nobody else knows their hash.
 */
function isRest({ versions = [], reread }: ReportedVersions, before: LinkContent | undefined): boolean {
  const [first, next] = versions;
  if (first === undefined || before === undefined || before.length === null) return false;
  if (first.hash === before.hash) return true;
  return reread !== undefined && first.length === Math.min(before.length, next?.length ?? 0);
}
