import { type Alert, omit } from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import type { Page } from '../lists/page.ts';
import { marksOf, type Mark } from '../maintenance/index.ts';
import { alertTag } from '../registry/tags.ts';
import {
  type AlertRequestView,
  type AlertView,
  type AlertWorkView,
  anchorsAt,
  iso,
  type LinkView,
  namesOf,
  type Tagged,
  type UserView,
  VIEWS,
  viewsOf,
} from '../views/index.ts';
import { shareEnd, sharesOf, sharesRevisions } from './shares.ts';

/** Context of reads of alerts; the clock tells whether a share link has ended. */
export type AlertReading = Pick<QueryContext, 'store' | 'clock'>;

/** The most characters of reports in one page of alerts; larger reports make the page shorter. */
const PAGE_REQUEST_CHARACTERS = 4 * 1_048_576;
/** Reports of one read, so that memory holds few large ones at once. */
const REQUESTS_AT_ONCE = 20;

/** @throws ApiError NOT_FOUND */
export async function readAlert(context: AlertReading, key: AlertKey): Promise<Tagged<Alert>> {
  const { store } = context;
  const view = await alertView(store, key);
  // The tag is read before the entity, because a tag must never be newer than its entity.
  const tag = await tagOfAlert(store, view);
  const [shown] = (await shownAlerts(context, { items: [view] })).alerts;
  return { body: shown!, tag };
}

export async function tagOfAlert(store: DocumentStore, { id, rev }: AlertView): Promise<string> {
  return alertTag(rev, (await relatedRevisions(store, [id])).get(id) ?? 0);
}

/** Returns how often the parts beside the alerts' own views changed: sharing, assignment and comments. */
export async function relatedRevisions(
  store: DocumentStore,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const [shares, work] = await Promise.all([sharesRevisions(store, ids), workOf(store, ids)]);
  return new Map(ids.map((id) => [id, (shares.get(id) ?? 0) + (work.get(id)?.rev ?? 0)]));
}

/** Assignments and comments of alerts, by alert id; alerts without any are left out. */
type Work = Map<string, AlertWorkView>;

/** An alert of a deleted user is nobody's. `rev` rises with each change, also with that deletion. */
export async function workOf(store: DocumentStore, ids: readonly string[]): Promise<Work> {
  const { work, deletedAssignees } = await assignmentsOf(store, ids);
  for (const [id, view] of work) {
    const rev = 2 * view.rev;
    work.set(id, deletedAssignees.has(id) ? { ...view, rev: rev + 1, assignee: null } : { ...view, rev });
  }
  return work;
}

/** Returns what is stored, and by alert id the users who were deleted since an alert was assigned to them. */
export async function assignmentsOf(
  store: DocumentStore,
  ids: readonly string[],
): Promise<{ work: Work; deletedAssignees: Map<string, string> }> {
  const work: Work = await viewsOf(store, VIEWS.alertWork, ids);
  const assigned = [...work.values()].flatMap(({ id, assignee }) =>
    assignee === null ? [] : { id, userId: assignee.userId },
  );
  const users = await viewsOf<UserView>(
    store,
    VIEWS.users,
    assigned.map(({ userId }) => userId),
  );
  const gone = assigned.filter(({ userId }) => users.get(userId)?.deleted === true);
  return { work, deletedAssignees: new Map(gone.map(({ id, userId }) => [id, userId])) };
}

export interface AlertKey {
  readonly orgId: string;
  readonly id: string;
  /** When absent, the alert may be of any device or file. */
  readonly deviceId?: string;
  readonly fileId?: string;
  /** Only of these devices. */
  readonly within?: ReadonlySet<string>;
}

/** @throws ApiError NOT_FOUND */
export async function alertView(store: DocumentStore, key: AlertKey): Promise<AlertView> {
  const alert = await store.get(VIEWS.alerts, key.id);
  const isIt =
    alert?.orgId === key.orgId &&
    (key.within?.has(alert.deviceId) ?? true) &&
    (key.deviceId ?? alert.deviceId) === alert.deviceId &&
    (key.fileId ?? alert.fileId) === alert.fileId;
  if (!isIt) throw new ApiError('NOT_FOUND');
  return alert;
}

/** Returns alerts as lists show them. `cutAt` is the last id when large reports made the page shorter. */
export async function shownAlerts(
  { store, clock }: AlertReading,
  { items }: Pick<Page<AlertView>, 'items'>,
): Promise<{ alerts: Alert[]; cutAt: string | null }> {
  const ids = items.map(({ id }) => id);
  const [{ requests, taken }, names, breaks, shares, work, marks] = await Promise.all([
    requestsOf(store, items),
    namesOf(store, items),
    breaksOf(store, items),
    sharesOf(store, ids),
    workOf(store, ids),
    marksOf(store, items),
  ]);
  const kept = items.slice(0, taken);
  const now = clock.now();
  const alerts = kept.map((view): Alert => {
    const { attributeChanges, ...alert } = omit(view, 'rev', 'orgId', 'handledAt');
    const share = shares.get(view.id);
    const end = shareEnd(share);
    return {
      ...alert,
      timestamp: iso(view.timestamp),
      lastTimestamp: iso(view.lastTimestamp),
      deviceName: names.device(view.deviceId) ?? '',
      fileName: names.file(view.fileId) ?? '',
      ...(attributeChanges === undefined ? {} : { attributeChanges: [...attributeChanges] }),
      shared: end !== undefined && now < end,
      sharedData: [...(share?.sharedData ?? [])],
      ...(end === undefined ? {} : { shareExpiresAt: iso(end) }),
      eventRequest: requests.get(view.id) ?? null,
      bsvTransactionID: breaks.get(view.hashId)?.txid ?? null,
      ...shownContent(breaks.get(view.hashId)),
      ...shownWork(work.get(view.id)),
      ...shownMark(marks.get(view.id)),
    };
  });
  return { alerts, cutAt: taken < items.length ? kept.at(-1)!.id : null };
}

/** Returns the reports of as many alerts as fit into a page, at least of one alert. */
async function requestsOf(
  store: DocumentStore,
  alerts: readonly AlertView[],
): Promise<{ requests: Map<string, unknown>; taken: number }> {
  const requests = new Map<string, unknown>();
  let characters = 0;
  for (let at = 0; at < alerts.length; at += REQUESTS_AT_ONCE) {
    const step = alerts.slice(at, at + REQUESTS_AT_ONCE).map(({ id }) => id);
    const found = await viewsOf<AlertRequestView>(store, VIEWS.alertRequests, step);
    for (const [index, id] of step.entries()) {
      const text = found.get(id)?.request ?? 'null';
      characters += text.length;
      if (characters > PAGE_REQUEST_CHARACTERS && at + index > 0) return { requests, taken: at + index };
      requests.set(id, JSON.parse(text));
    }
  }
  return { requests, taken: alerts.length };
}

interface Break {
  /** Hash of the content that raised the alert. */
  readonly hash: string | null;
  /** Id of the transaction of the batch that covers the link. */
  readonly txid: string | null;
}

const shownContent = (of: Break | undefined): Pick<Alert, 'contentHash'> =>
  of === undefined || of.hash === null ? {} : { contentHash: of.hash };

const shownWork = (work: AlertWorkView | undefined): Pick<Alert, 'assignee' | 'comments'> => ({
  ...(work?.assignee && { assignee: { ...work.assignee } }),
  ...(work !== undefined && work.comments > 0 && { comments: work.comments }),
});

function shownMark(mark: Mark | undefined): Pick<Alert, 'planned' | 'expected'> {
  const { planned = null, expected = null } = mark ?? {};
  return {
    ...(planned !== null && {
      planned: { windowId: planned.id, reason: planned.reason, reviewed: planned.review !== null },
    }),
    ...(expected !== null && { expected: { listId: expected.id, reason: expected.reason } }),
  };
}

/** Returns the breaks by the id of the alert's first BREAK link. */
async function breaksOf(store: DocumentStore, alerts: readonly AlertView[]): Promise<Map<string, Break>> {
  const links = await viewsOf<LinkView>(
    store,
    VIEWS.links,
    alerts.map(({ hashId }) => hashId),
  );
  const found = [...links.values()];
  const anchors = await anchorsAt(store, found);
  return new Map(found.map(({ id, hash }, at) => [id, { hash, txid: anchors[at]!.txid }]));
}
