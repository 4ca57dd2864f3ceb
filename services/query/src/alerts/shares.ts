/** To whom an alert was shown. Not a view: only these documents know it. */
import { LIMITS, type Alert } from '@sentinel-node/contracts';
import { collectionOf, type DocumentStore } from '@sentinel-node/platform';

export const SHARES_COLLECTION = {
  name: collectionOf<SharesDocument>('alert_shares'),
  indexes: [],
} as const;

/** Addresses that an organisation shared with on a day (UTC); `id` is organisation and day. */
export const SHARE_DAYS_COLLECTION = {
  name: collectionOf<SharingDay>('share_days'),
  indexes: [],
} as const;

interface SharingDay {
  readonly id: string;
  readonly rev: number;
  readonly addresses: number;
}

/** Who changed the sharing of an alert. It is in no topic, so this is the only place that knows. */
export interface ShareChange {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Id of the user. */
  readonly by: string;
  /** To whom mails went; empty: sharing was ended. */
  readonly emailAddresses: readonly string[];
}

/** `id` is the alert's. */
export type SharesDocument = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  /** In the order of sending; an address stands once. Empty: no longer shared. */
  readonly sharedData: Alert['sharedData'];
  /** Milliseconds since the Unix epoch. Absent in documents of earlier versions: see `shareEnd`. */
  readonly expiresAt?: number;
  /** Oldest first. */
  readonly changes: readonly ShareChange[];
};

const DAY_MS = 24 * 3_600_000;

/** By the id of the alert; those never shared are left out. */
export async function sharesOf(
  store: DocumentStore,
  alertIds: readonly string[],
): Promise<Map<string, SharesDocument>> {
  return new Map((await documentsOf(store, alertIds)).map((document) => [document.id, document]));
}

/**
 * When the public link ends, in milliseconds since the Unix epoch; undefined: there is none. A link of an earlier version
 * ends so many days after the last time that it was sent.
 */
export function shareEnd(document: SharesDocument | undefined): number | undefined {
  if (document === undefined || document.sharedData.length === 0) return undefined;
  const { expiresAt, sharedData } = document;
  if (expiresAt !== undefined) return expiresAt;
  return (
    Math.max(...sharedData.map(({ timestamp }) => Date.parse(timestamp))) + daysMs(LIMITS.shareDaysDefault)
  );
}

/** @param days as the caller asks; undefined: the default, which never brings the end forward */
export function nextShareEnd(
  existing: SharesDocument | undefined,
  now: number,
  days: number | undefined,
): number {
  if (days !== undefined) return now + daysMs(days);
  return Math.max(now + daysMs(LIMITS.shareDaysDefault), shareEnd(existing) ?? 0);
}

const daysMs = (days: number): number => days * DAY_MS;

/** How often the sharing of an alert changed; those never shared are left out. */
export async function sharesRevisions(
  store: DocumentStore,
  alertIds: readonly string[],
): Promise<Map<string, number>> {
  return new Map((await documentsOf(store, alertIds)).map(({ id, rev }) => [id, rev]));
}

async function documentsOf(store: DocumentStore, alertIds: readonly string[]): Promise<SharesDocument[]> {
  if (alertIds.length === 0) return [];
  return await store.getMany(SHARES_COLLECTION.name, alertIds);
}
