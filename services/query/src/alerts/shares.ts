/** The recipients of shared alerts. These documents are the only copy: the log does not have them. */
import { LIMITS, type Alert } from '@sentinel-node/contracts';
import { collectionOf, type Clock, type DocumentStore } from '@sentinel-node/platform';

export const SHARES_COLLECTION = {
  name: collectionOf<SharesDocument>('alert_shares'),
  indexes: [],
} as const;

/** Number of addresses that an organisation shared with on the last day (UTC) with any; `id` is the organisation. */
export const SHARE_DAYS_COLLECTION = {
  name: collectionOf<SharingDay>('share_days'),
  indexes: [],
} as const;

interface SharingDay {
  readonly id: string;
  readonly rev: number;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly addresses: number;
}

/** A change of an alert's sharing and the person who made it. No topic has it, so this document is the only record. */
export interface ShareChange {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Id of the user. */
  readonly by: string;
  /** Recipients of the mails; empty when sharing was ended. */
  readonly emailAddresses: readonly string[];
}

/** `id` is the alert's id. */
export type SharesDocument = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  /** Recipients in the order of sending, each address once. Empty when no longer shared. */
  readonly sharedData: Alert['sharedData'];
  /** Milliseconds since the Unix epoch. Absent in documents of earlier versions: see `shareEnd`. */
  readonly expiresAt?: number;
  /** Oldest first. */
  readonly changes: readonly ShareChange[];
};

const DAY_MS = 24 * 3_600_000;

/** Returns the sharing by alert id; alerts never shared are left out. */
export async function sharesOf(
  store: DocumentStore,
  alertIds: readonly string[],
): Promise<Map<string, SharesDocument>> {
  return new Map((await documentsOf(store, alertIds)).map((document) => [document.id, document]));
}

/**
 * Returns when the public link ends, in milliseconds since the Unix epoch; undefined without a link. A link of an
 * earlier version ends `shareDaysDefault` days after its last mail.
 */
export function shareEnd(document: SharesDocument | undefined): number | undefined {
  if (document === undefined || document.sharedData.length === 0) return undefined;
  const { expiresAt, sharedData } = document;
  if (expiresAt !== undefined) return expiresAt;
  return (
    Math.max(...sharedData.map(({ timestamp }) => Date.parse(timestamp))) + daysMs(LIMITS.shareDaysDefault)
  );
}

/** Returns whether the public link of the alert works and was sent to this address. */
export async function isSharedWith(
  { store, clock }: { readonly store: DocumentStore; readonly clock: Clock },
  alertId: string,
  address: string,
): Promise<boolean> {
  const shares = (await sharesOf(store, [alertId])).get(alertId);
  const end = shareEnd(shares);
  if (shares === undefined || end === undefined || clock.now() >= end) return false;
  const wanted = address.toLowerCase();
  return shares.sharedData.some(({ emailAddress }) => emailAddress.toLowerCase() === wanted);
}

/** @param days from the request; when undefined, the default applies and never shortens the link's life */
export function nextShareEnd(
  existing: SharesDocument | undefined,
  now: number,
  days: number | undefined,
): number {
  if (days !== undefined) return now + daysMs(days);
  return Math.max(now + daysMs(LIMITS.shareDaysDefault), shareEnd(existing) ?? 0);
}

const daysMs = (days: number): number => days * DAY_MS;

/** Returns how often each alert's sharing changed; alerts never shared are left out. */
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
