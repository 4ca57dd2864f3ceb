import type { FeedRecord } from '@sentinel-node/contracts';
import { UnreadableRecordError, type StoredRecord } from '@sentinel-node/platform';
import { readFeedRecord } from '../views/index.ts';

/**
 * Returns undefined for an unreadable record, for example of another version of this program. The views hold its
 * changes, so its clients reload.
 */
export function feedRecordOf(stored: StoredRecord): FeedRecord | undefined {
  try {
    return readFeedRecord(stored);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return undefined;
    throw error;
  }
}
