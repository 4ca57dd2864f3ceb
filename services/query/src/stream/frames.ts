/** Turns feed items into the frames of a client: the named objects, read now, in the form of lists. */
import type { FeedItem, FeedKind } from '@sentinel-node/contracts';
import type { CollectionName, DocumentStore } from '@sentinel-node/platform';
import { relatedRevisions, shownAlerts } from '../alerts/index.ts';
import type { QueryContext } from '../context.ts';
import type { Summaries } from '../dashboard/index.ts';
import { deviceItems, fileItems } from '../devices/index.ts';
import { eventsById } from '../events/index.ts';
import { mayRead, shownOrganization, shownUser } from '../people/index.ts';
import {
  type AnchorBatchView,
  anchorState,
  type DeviceView,
  iso,
  type Viewer,
  VIEWS,
  viewsOf,
} from '../views/index.ts';

/** One event: of the same JSON for everybody, or of the JSON of each viewer. */
export type Frame = FrameFacts & (CommonData | PersonalData);

interface CommonData {
  /** JSON. */
  readonly data: string;
}

interface PersonalData {
  /** Returns the JSON, or null when the viewer may not see the event. */
  readonly dataFor: (viewer: Viewer) => string | null;
}

interface FrameFacts {
  readonly event: FeedKind;
  /** Of which device it tells; absent: of none, or of the organisation. Limited service tokens get none of these. */
  readonly deviceId?: string;
  /** Frames of a summary that say the same have the same. */
  readonly same?: string;
}

/** Context for reading the objects of a frame. */
export type FrameContext = QueryContext & { readonly summaries: Pick<Summaries, 'summary' | 'revision'> };

type Reader = (context: FrameContext, orgId: string, ids: readonly string[]) => Promise<Frame[]>;

/** Alerts come before events, so that a client that gets the event finds its alert. */
const READERS: readonly (readonly [FeedKind, Reader])[] = [
  ['organization', organizations],
  ['user', users],
  ['device', devices],
  ['file', files],
  ['alert', alerts],
  ['event', events],
  ['anchor', anchors],
  ['summary', summaries],
];

/** The devices that frames tell of, read after the frames, when a client needs them: nothing is told of one that lost its label. */
export async function devicesOfFrames(
  { store }: Pick<FrameContext, 'store'>,
  frames: readonly Frame[],
  clients: readonly { readonly limits: unknown }[],
): Promise<ReadonlyMap<string, DeviceView>> {
  if (clients.every(({ limits }) => limits === null)) return new Map();
  const ids = new Set(frames.flatMap(({ deviceId }) => deviceId ?? []));
  return viewsOf<DeviceView>(store, VIEWS.devices, ids);
}

/** Objects that are gone from the store, or are of another organisation, have no frame. */
export async function framesOf(
  context: FrameContext,
  orgId: string,
  items: readonly FeedItem[],
): Promise<Frame[]> {
  const perKind = await Promise.all(
    READERS.map(async ([kind, read]) => {
      const ids = items.filter((item) => item.kind === kind).map(({ id }) => id);
      return ids.length === 0 ? [] : read(context, orgId, ids);
    }),
  );
  return perKind.flat();
}

const forEverybody = (event: FeedKind, data: object): Frame => ({ event, data: JSON.stringify(data) });

/** @param deviceId null: of the organisation */
function ofDevice(event: FeedKind, deviceId: string | null, data: object): Frame {
  return { ...forEverybody(event, data), ...(deviceId !== null && { deviceId }) };
}

async function ofOrganization<T extends { readonly id: string; readonly orgId: string }>(
  store: DocumentStore,
  name: CollectionName<T>,
  orgId: string,
  ids: readonly string[],
): Promise<T[]> {
  const found = await viewsOf<T>(store, name, ids);
  return [...found.values()].filter((view) => view.orgId === orgId);
}

async function organizations({ store, sentinelAddress }: QueryContext, orgId: string): Promise<Frame[]> {
  const view = await store.get(VIEWS.organizations, orgId);
  if (view === undefined) return [];
  const dataFor = (viewer: Viewer): string =>
    JSON.stringify({ ...shownOrganization(view, sentinelAddress, viewer), orgId, rev: view.rev });
  return [{ event: 'organization', dataFor }];
}

async function users({ store }: QueryContext, orgId: string, ids: readonly string[]): Promise<Frame[]> {
  const found = await ofOrganization(store, VIEWS.users, orgId, ids);
  return found.map((user): Frame => {
    const { id, rev } = user;
    // For everybody: alerts of a deleted user are nobody's, and no frame of the alerts says so.
    if (user.deleted) return forEverybody('user', { id, orgId, rev, deleted: true });
    const text = JSON.stringify({ ...shownUser(user), rev });
    return { event: 'user', dataFor: (viewer) => (mayRead(user, viewer) ? text : null) };
  });
}

async function devices(
  { store, clock }: QueryContext,
  orgId: string,
  ids: readonly string[],
): Promise<Frame[]> {
  const found = await ofOrganization(store, VIEWS.devices, orgId, ids);
  const items = await deviceItems(store, found, clock.now());
  return items.map(({ item, rev }, at) => {
    const { id, deleted } = found[at]!;
    return ofDevice('device', id, deleted ? { id, orgId, rev, deleted } : { ...item, orgId, rev });
  });
}

async function files(
  { store, clock }: QueryContext,
  orgId: string,
  ids: readonly string[],
): Promise<Frame[]> {
  const found = await ofOrganization(store, VIEWS.files, orgId, ids);
  return (await fileItems(store, found, clock.now())).map(({ file, number, view, rev }) => {
    const { id, deviceId, deleted } = view;
    return ofDevice(
      'file',
      deviceId,
      deleted ? { id, deviceId, orgId, rev, deleted } : { ...file, deviceId, number, orgId, rev },
    );
  });
}

async function alerts(context: QueryContext, orgId: string, ids: readonly string[]): Promise<Frame[]> {
  const { store } = context;
  const found = await ofOrganization(store, VIEWS.alerts, orgId, ids);
  const beside = await relatedRevisions(store, ids);
  const frames: Frame[] = [];
  // Large reports make a page of alerts shorter, so read until no alert is left.
  while (frames.length < found.length) {
    const rest = found.slice(frames.length);
    const { alerts: shown } = await shownAlerts(context, { items: rest });
    for (const [at, alert] of shown.entries()) {
      const rev = rest[at]!.rev + (beside.get(alert.id) ?? 0);
      frames.push(ofDevice('alert', alert.deviceId, { ...alert, orgId, rev }));
    }
  }
  return frames;
}

async function events({ store }: QueryContext, orgId: string, ids: readonly string[]): Promise<Frame[]> {
  const found = await eventsById(store, ids);
  // An event never changes.
  return found
    .filter((event) => event.orgId === orgId)
    .map((event) => ofDevice('event', event.deviceId, { ...event, rev: 1 }));
}

async function anchors({ store }: QueryContext, orgId: string, ids: readonly string[]): Promise<Frame[]> {
  const found = await viewsOf<AnchorBatchView>(store, VIEWS.anchorBatches, ids);
  return [...found.values()].map((view) => {
    const { id, rev, batch, txid, confirmations, closedAt } = view;
    const state = anchorState(view);
    const bsvId = state === 'BATCHED' ? null : txid;
    return forEverybody('anchor', {
      id,
      batch,
      state,
      bsvId,
      confirmations,
      closedAt: iso(closedAt),
      orgId,
      rev,
    });
  });
}

async function summaries({ summaries: kept }: FrameContext, orgId: string): Promise<Frame[]> {
  const summary = await kept.summary(orgId);
  const frame = forEverybody('summary', { id: orgId, ...summary, orgId, rev: kept.revision() });
  return [{ ...frame, same: JSON.stringify(summary) }];
}
