import type { DocumentStore } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS } from './collections.ts';
import { EMPTY_LOG, type LogState } from './domain/build-cut.ts';

/**
 * Returns the log before a batch; undefined when the previous cut is missing, which the comparison at the start
 * reports.
 */
export async function logBefore(store: DocumentStore, batch: number): Promise<LogState | undefined> {
  if (batch === 0) return EMPTY_LOG;
  const found = await store.get(OWN_COLLECTIONS.cuts.name, batchId(batch - 1));
  return found?.log;
}
