/** Shares alerts: sends mails with a public link, and records the recipients. */
import { TOPICS, type FeedRecord, type ShareAlert, type SharedAlert } from '@sentinel-node/contracts';
import {
  ApiError,
  saveIfCurrent,
  type Caller,
  type CollectionName,
  type DocumentStore,
} from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import type { QueryContext } from '../context.ts';
import { emailKey } from '../registry/names.ts';
import type { Actor } from '../registry/decision.ts';
import type { Expected } from '../registry/tags.ts';
import { iso, VIEWS } from '../views/index.ts';
import { type AlertKey, alertView, readAlert, tagOfAlert } from './read-alerts.ts';
import { alertSharedMail, type Sharer } from './shared-mail.ts';
import {
  nextShareEnd,
  SHARE_DAYS_COLLECTION,
  type ShareChange,
  shareEnd,
  SHARES_COLLECTION,
  type SharesDocument,
  sharesOf,
} from './shares.ts';

/** Context of sharing. */
type ShareContext = Pick<QueryContext, 'store' | 'eventLog' | 'clock' | 'mail' | 'mailLimits' | 'config'>;

/** `walletEmail`: the address that the wallet verified at the sign-in; null for programs. */
type SharingCaller = Caller & Actor & { readonly walletEmail: string | null };

/** The most different addresses that one alert is shared with. */
const ADDRESSES_PER_ALERT = 1_000;
/** The most changes to one alert's sharing; every change is kept for ever. */
const CHANGES_PER_ALERT = 10_000;
const CONFLICT_RETRIES = 8;
const DAY_MS = 24 * 3_600_000;

/**
 * @throws ApiError NOT_FOUND; STALE; LIMIT_REACHED; RATE_LIMITED when the organisation used up today's addresses, or an
 * address got today's mails; CONFLICT; the refusal of a caller who may not share any more; UNAVAILABLE when it was shared, and not every mail was made
 */
export async function shareAlert(
  context: ShareContext,
  key: AlertKey,
  { sharedEmailAddresses: addresses, expiresInDays }: ShareAlert,
  caller: SharingCaller,
  expected?: Expected,
): Promise<void> {
  const { store, clock, mail, config } = context;
  const { body: alert } = await readAlert(context, key);
  const wanted = [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()];
  await checkTag(store, key, expected);
  const change = { at: clock.now(), by: caller.userId, emailAddresses: wanted };
  const shared = (
    existing: SharesDocument | undefined,
  ): Pick<SharesDocument, 'sharedData' | 'expiresAt'> => ({
    sharedData: withEntries(existing, change),
    expiresAt: nextShareEnd(existing, change.at, expiresInDays),
  });
  // A refused share uses up nothing of the day's limit.
  shared((await sharesOf(store, [key.id])).get(key.id));
  await context.mailLimits.checkAddresses(wanted, (index) => {
    return `/sharedEmailAddresses/${addresses.indexOf(wanted[index]!)}`;
  });
  await countAddresses(context, key.orgId, caller, wanted.length);
  for (const address of wanted) await context.mailLimits.countAddress(address);
  const shares = await changeShares(store, key, caller, change, shared);
  const tell = async (): Promise<void> => {
    const link = `${config.publicUrl}/share/alert/${key.id}`;
    const sharedBy = await sharerOf(store, key.orgId, caller);
    const shown = { alert, link, sharedBy, expiresAt: shares.expiresAt! };
    for (const to of wanted)
      await mail.prepare(key.orgId, alertSharedMail({ to, ...shown }), {
        kind: 'SHARED_ALERT',
        alertId: key.id,
      });
    mail.wake();
    await putOnFeed(context, key);
  };
  await afterChange(tell, 'The alert was shared, but perhaps not every address gets a mail: share it again.');
}

/** An address that an administrator gave a person later was never confirmed; that of the wallet was. */
async function sharerOf(store: DocumentStore, orgId: string, caller: SharingCaller): Promise<Sharer> {
  const { name, email, walletEmail, serviceToken } = caller;
  const isProven = walletEmail !== null && emailKey(walletEmail) === emailKey(email);
  return {
    name,
    organization: (await store.get(VIEWS.organizations, orgId))?.name ?? 'an organization',
    isProgram: serviceToken !== undefined,
    provenAddress: isProven ? email : null,
  };
}

/** Ends sharing: the public page is gone for everyone. @throws ApiError NOT_FOUND, STALE */
export async function unshareAlert(
  context: ShareContext,
  key: AlertKey,
  caller: Actor,
  expected?: Expected,
): Promise<void> {
  const { store, clock } = context;
  await checkTag(store, key, expected);
  if (shareEnd((await sharesOf(store, [key.id])).get(key.id)) === undefined) return;
  const change = { at: clock.now(), by: caller.userId, emailAddresses: [] };
  await changeShares(store, key, caller, change, () => ({ sharedData: [] }));
  await afterChange(() => putOnFeed(context, key));
}

/** @throws ApiError NOT_FOUND unless the alert is shared; SHARE_ENDED */
export async function readSharedAlert(
  context: Pick<QueryContext, 'store' | 'clock'>,
  id: string,
): Promise<SharedAlert> {
  const { store } = context;
  const orgId = await sharedAlertOrganization(context, id);
  const { body: alert } = await readAlert(context, { orgId, id });
  const { timestamp, status, type, deviceId, deviceName, fileId, fileName, overrideUserEmail, note } = alert;
  const request = await store.get(VIEWS.alertRequests, id);
  return {
    id,
    timestamp,
    status,
    type,
    deviceId,
    deviceName,
    fileId,
    fileName,
    overrideUserEmail: overrideUserEmail === null ? null : maskedAddress(overrideUserEmail),
    note,
    eventRequest: request?.request ?? 'null',
  };
}

/** Returns `a…@example.com`: the public page shows the domain of the person who handled the alert, but no address. */
function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? '…' : `${[...address][0]}…${address.slice(at)}`;
}

/**
 * Returns the organisation of a shared alert. @throws ApiError NOT_FOUND unless the alert is shared; SHARE_ENDED when
 * the link has expired
 */
export async function sharedAlertOrganization(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  id: string,
): Promise<string> {
  const shares = (await sharesOf(store, [id])).get(id);
  const end = shareEnd(shares);
  if (shares === undefined || end === undefined) throw new ApiError('NOT_FOUND');
  if (clock.now() >= end)
    throw new ApiError('SHARE_ENDED', {
      detail: `The link to this alert ended on ${iso(end).slice(0, 10)} (UTC). Ask the person who sent it to share the alert again.`,
    });
  return shares.orgId;
}

/** @throws ApiError NOT_FOUND, STALE */
async function checkTag(store: DocumentStore, key: AlertKey, expected: Expected | undefined): Promise<void> {
  const tag = await tagOfAlert(store, await alertView(store, key));
  if (expected?.(tag) === false) throw new ApiError('STALE');
}

type Shares = SharesDocument['sharedData'];

/** @throws ApiError LIMIT_REACHED */
function withEntries(existing: SharesDocument | undefined, { at, emailAddresses }: ShareChange): Shares {
  if ((existing?.changes ?? []).length >= CHANGES_PER_ALERT)
    throw new ApiError('LIMIT_REACHED', { detail: `An alert is shared at most ${CHANGES_PER_ALERT} times.` });
  const timestamp = iso(at);
  const entries = emailAddresses.map((emailAddress) => ({ emailAddress, timestamp }));
  const names = new Set(entries.map(({ emailAddress }) => emailAddress.toLowerCase()));
  const kept = (existing?.sharedData ?? []).filter(
    ({ emailAddress }) => !names.has(emailAddress.toLowerCase()),
  );
  if (kept.length + entries.length > ADDRESSES_PER_ALERT)
    throw new ApiError('LIMIT_REACHED', {
      detail: `An alert is shared with at most ${ADDRESSES_PER_ALERT} addresses.`,
    });
  return [...kept, ...entries];
}

function changeShares(
  store: DocumentStore,
  { orgId, id }: AlertKey,
  by: Actor,
  change: ShareChange,
  apply: (existing: SharesDocument | undefined) => Pick<SharesDocument, 'sharedData' | 'expiresAt'>,
): Promise<SharesDocument> {
  return changeDocument(store, SHARES_COLLECTION.name, id, by, (existing, next) => {
    // Absent when the alert was shared before changes were recorded.
    const changes = existing?.changes ?? [];
    return { ...next, orgId, ...apply(existing), changes: [...changes, change] };
  });
}

/** @throws ApiError RATE_LIMITED */
async function countAddresses(
  { store, clock, config }: ShareContext,
  orgId: string,
  by: Actor,
  count: number,
): Promise<void> {
  const addressesPerDay = config.limits.shareAddressesPerDay;
  const now = clock.now();
  const day = iso(now).slice(0, 10);
  await changeDocument(store, SHARE_DAYS_COLLECTION.name, orgId, by, (existing, next) => {
    const addresses = (existing?.day === day ? existing.addresses : 0) + count;
    if (addresses <= addressesPerDay) return { ...next, day, addresses };
    const untilTomorrow = Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000);
    const detail = `An organization shares with at most ${addressesPerDay} addresses a day.`;
    /** @pool shared-addresses */
    throw new ApiError('RATE_LIMITED', { detail, retryAfterSeconds: untilTomorrow });
  });
}

async function changeDocument<T extends { readonly id: string; readonly rev: number }>(
  store: DocumentStore,
  collection: CollectionName<T>,
  id: string,
  { confirm }: Actor,
  change: (existing: T | undefined, next: { readonly id: string; readonly rev: number }) => T,
): Promise<T> {
  for (let attempt = 0; attempt < CONFLICT_RETRIES; attempt++) {
    const existing = await store.get(collection, id);
    await confirm?.();
    const next = change(existing, { id, rev: (existing?.rev ?? 0) + 1 });
    if (await saveIfCurrent(store, collection, next, existing?.rev)) return next;
  }
  throw new ApiError('CONFLICT');
}

/** Puts the change on the feed for open consoles, because no other topic has it. */
async function putOnFeed({ store, eventLog }: ShareContext, { orgId, id }: AlertKey): Promise<void> {
  const alert = await store.get(VIEWS.alerts, id);
  const record: FeedRecord = { v: 1, orgId, items: [{ kind: 'alert', id, rev: alert?.rev ?? 0 }] };
  const body = Buffer.from(JSON.stringify(record));
  await eventLog.append(TOPICS.feed, [{ key: orgId, id: `share/${id}`, body }]);
}
