import type { FeedRecord } from '@sentinel-node/contracts';
import type { StoredRecord } from '@sentinel-node/platform';
import { readFeedRecord, UnreadableRecordError } from '../views/index.ts';

/**
 * undefined: it cannot be read, as while another version of this program is writing too. What it told stands in the
 * views all the same, so that whoever it was for loads anew.
 */
export function feedRecordOf(stored: StoredRecord): FeedRecord | undefined {
  try {
    return readFeedRecord(stored);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return undefined;
    throw error;
  }
}
