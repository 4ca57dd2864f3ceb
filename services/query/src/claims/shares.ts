/** To whom an alert was shown. Not a view: only these documents know it. */
import type { Alert } from '@sentinel-node/contracts';
import type { CollectionSpec, DocumentStore } from '@sentinel-node/platform';

export const SHARES_COLLECTION: CollectionSpec = { name: 'alert_shares', indexes: [] };

/** `id` is the alert's. */
export type SharesDocument = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  /** In the order of sending; an address stands once. Empty: no longer shared. */
  readonly sharedData: Alert['sharedData'];
};

/** By the id of the alert; those never shared are left out. */
export async function sharesOf(
  store: DocumentStore,
  alertIds: readonly string[],
): Promise<Map<string, Alert['sharedData']>> {
  if (alertIds.length === 0) return new Map();
  const found = (await store.getMany(SHARES_COLLECTION.name, alertIds)) as unknown as SharesDocument[];
  return new Map(found.map(({ id, sharedData }) => [id, sharedData]));
}
