/** To whom an alert was shown. Not a view: only these documents know it. */
import type { Alert } from '@sentinel-node/contracts';
import type { CollectionSpec, DocumentStore } from '@sentinel-node/platform';

export const SHARES_COLLECTION: CollectionSpec = { name: 'alert_shares', indexes: [] };

/** Addresses that an organisation shared with on a day (UTC); `id` is organisation and day. */
export const SHARE_DAYS_COLLECTION: CollectionSpec = { name: 'share_days', indexes: [] };

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
  /** Oldest first. */
  readonly changes: readonly ShareChange[];
};

/** By the id of the alert; those never shared are left out. */
export async function sharesOf(
  store: DocumentStore,
  alertIds: readonly string[],
): Promise<Map<string, Alert['sharedData']>> {
  return new Map((await documentsOf(store, alertIds)).map(({ id, sharedData }) => [id, sharedData]));
}

/** How often the sharing of an alert changed; those never shared are left out. */
export async function sharesRevisions(
  store: DocumentStore,
  alertIds: readonly string[],
): Promise<Map<string, number>> {
  return new Map((await documentsOf(store, alertIds)).map(({ id, rev }) => [id, rev]));
}

async function documentsOf(store: DocumentStore, alertIds: readonly string[]): Promise<SharesDocument[]> {
  if (alertIds.length === 0) return [];
  return (await store.getMany(SHARES_COLLECTION.name, alertIds)) as unknown as SharesDocument[];
}
