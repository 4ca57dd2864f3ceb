/** Sharing an alert: mails with a public link, and who got one. */
import { TOPICS, type FeedRecord, type SharedAlert } from '@sentinel-node/contracts';
import {
  ApiError,
  ConflictError,
  type Caller,
  type Clock,
  type Document,
  type DocumentStore,
  type EventLog,
  type MailMessage,
} from '@sentinel-node/platform';
import { alertSharedMail } from '../mail/alert-shared.ts';
import {
  alertView,
  iso,
  readAlert,
  tagOfAlert,
  viewOf,
  type AlertKey,
  type ReadContext,
} from '../reads/index.ts';
import type { Expected } from '../registry/tags.ts';
import { VIEWS, type AlertRequestView, type AlertView } from '../views/index.ts';
import {
  SHARE_DAYS_COLLECTION,
  SHARES_COLLECTION,
  sharesOf,
  type ShareChange,
  type SharesDocument,
} from './shares.ts';

export interface ShareDeps {
  readonly reads: ReadContext;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly mail: { prepare(message: MailMessage): Promise<void>; wake(): void };
  /** Origin of the console, without a slash at the end. */
  readonly publicUrl: string;
  readonly addressesPerDay: number;
}

/** Different addresses that one alert is shared with. */
const ADDRESSES_PER_ALERT = 1_000;
/** Times that the sharing of one alert is changed: who did is kept for ever. */
const CHANGES_PER_ALERT = 10_000;
const CONFLICT_RETRIES = 8;
const DAY_MS = 24 * 3_600_000;

/** @throws ApiError NOT_FOUND; STALE; RATE_LIMITED when the organisation shared enough today; LIMIT_REACHED; CONFLICT */
export async function shareAlert(
  deps: ShareDeps,
  key: AlertKey,
  addresses: readonly string[],
  caller: Caller,
  expected?: Expected,
): Promise<void> {
  const { reads, clock, mail, publicUrl } = deps;
  const { body: alert } = await readAlert(reads, key);
  const wanted = [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()];
  await checkTag(reads.store, key, expected);
  await countAddresses(deps, key.orgId, wanted.length);
  const change = { at: clock.now(), by: caller.userId, emailAddresses: wanted };
  await changeShares(reads.store, key, change, withEntries);
  const link = `${publicUrl}/share/alert/${key.id}`;
  for (const to of wanted) await mail.prepare(alertSharedMail({ to, alert, link, sharedBy: caller.email }));
  mail.wake();
  await tell(deps, key);
}

/** The public page is gone, whoever has the link. @throws ApiError NOT_FOUND, STALE */
export async function unshareAlert(
  deps: ShareDeps,
  key: AlertKey,
  caller: Caller,
  expected?: Expected,
): Promise<void> {
  const { store } = deps.reads;
  await checkTag(store, key, expected);
  if (((await sharesOf(store, [key.id])).get(key.id) ?? []).length === 0) return;
  const change = { at: deps.clock.now(), by: caller.userId, emailAddresses: [] };
  await changeShares(store, key, change, () => []);
  await tell(deps, key);
}

/** @throws ApiError NOT_FOUND unless the alert is shared */
export async function readSharedAlert(reads: ReadContext, id: string): Promise<SharedAlert> {
  const { store } = reads;
  const orgId = await sharedAlertOrganization(store, id);
  const { body: alert } = await readAlert(reads, { orgId, id });
  const { timestamp, status, type, deviceId, deviceName, fileId, fileName, overrideUserEmail, note } = alert;
  const request = await viewOf<AlertRequestView>(store, VIEWS.alertRequests, id);
  return {
    id,
    timestamp,
    status,
    type,
    deviceId,
    deviceName,
    fileId,
    fileName,
    overrideUserEmail,
    note,
    eventRequest: request?.request ?? 'null',
  };
}

/** Whose alert it is. @throws ApiError NOT_FOUND unless it is shared now */
export async function sharedAlertOrganization(store: DocumentStore, id: string): Promise<string> {
  const shares = (await store.get(SHARES_COLLECTION.name, id)) as SharesDocument | undefined;
  if (shares === undefined || shares.sharedData.length === 0) throw new ApiError('NOT_FOUND');
  return shares.orgId;
}

/** @throws ApiError NOT_FOUND, STALE */
async function checkTag(store: DocumentStore, key: AlertKey, expected: Expected | undefined): Promise<void> {
  const tag = await tagOfAlert(store, await alertView(store, key));
  if (expected?.(tag) === false) throw new ApiError('STALE');
}

type Shares = SharesDocument['sharedData'];

function withEntries(held: Shares, { at, emailAddresses }: ShareChange): Shares {
  const timestamp = iso(at);
  const entries = emailAddresses.map((emailAddress) => ({ emailAddress, timestamp }));
  const names = new Set(entries.map(({ emailAddress }) => emailAddress.toLowerCase()));
  const kept = held.filter(({ emailAddress }) => !names.has(emailAddress.toLowerCase()));
  if (kept.length + entries.length > ADDRESSES_PER_ALERT)
    throw new ApiError('LIMIT_REACHED', `An alert is shared with at most ${ADDRESSES_PER_ALERT} addresses.`);
  return [...kept, ...entries];
}

function changeShares(
  store: DocumentStore,
  { orgId, id }: AlertKey,
  change: ShareChange,
  apply: (held: Shares, change: ShareChange) => Shares,
): Promise<void> {
  return changeDocument<SharesDocument>(store, SHARES_COLLECTION.name, id, (held) => {
    // Absent where an alert was shared before changes were recorded.
    const changes = held?.changes ?? [];
    const isSharing = change.emailAddresses.length > 0;
    if (isSharing && changes.length >= CHANGES_PER_ALERT)
      throw new ApiError('LIMIT_REACHED', `An alert is shared at most ${CHANGES_PER_ALERT} times.`);
    return { orgId, sharedData: apply(held?.sharedData ?? [], change), changes: [...changes, change] };
  });
}

/** @throws ApiError RATE_LIMITED */
async function countAddresses(
  { reads, clock, addressesPerDay }: ShareDeps,
  orgId: string,
  count: number,
): Promise<void> {
  const now = clock.now();
  const id = `${orgId}:${iso(now).slice(0, 10)}`;
  await changeDocument<Day>(reads.store, SHARE_DAYS_COLLECTION.name, id, (held) => {
    const addresses = (held?.addresses ?? 0) + count;
    if (addresses <= addressesPerDay) return { addresses };
    const untilTomorrow = Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000);
    const detail = `An organisation shares with at most ${addressesPerDay} addresses a day.`;
    throw new ApiError('RATE_LIMITED', detail, undefined, untilTomorrow);
  });
}

type Day = { readonly id: string; readonly rev: number; readonly addresses: number };

async function changeDocument<T extends { readonly id: string; readonly rev: number }>(
  store: DocumentStore,
  collection: string,
  id: string,
  change: (held: T | undefined) => Omit<T, 'id' | 'rev'>,
): Promise<void> {
  for (let attempt = 0; attempt < CONFLICT_RETRIES; attempt++) {
    const held = (await store.get(collection, id)) as T | undefined;
    const next = { ...change(held), id, rev: (held?.rev ?? 0) + 1 } as unknown as Document;
    try {
      if (held === undefined) await store.insertUnique(collection, next);
      else await store.update(collection, next, held.rev);
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
  throw new ApiError('CONFLICT');
}

/** Sharing is in no topic: consoles that are open hear of it here. */
async function tell({ reads, eventLog }: ShareDeps, { orgId, id }: AlertKey): Promise<void> {
  const alert = await viewOf<AlertView>(reads.store, VIEWS.alerts, id);
  const record: FeedRecord = { v: 1, orgId, items: [{ kind: 'alert', id, rev: alert?.rev ?? 0 }] };
  const body = Buffer.from(JSON.stringify(record));
  await eventLog.append(TOPICS.feed, [{ key: orgId, id: `share/${id}`, body }]);
}
