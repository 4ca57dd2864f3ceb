/** What a client that comes back has missed, as far as the feed's window still holds it. */
import { TOPICS, type FeedItem } from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import { mergeItems, readFeedRecord } from '../views/index.ts';
import type { EventId } from './event-id.ts';
import { STREAM_LIMITS } from './limits.ts';

/**
 * Items of the organisation after `last` up to `upTo` (included), the newest of each object.
 * undefined: not known any more, or too much; the client has to load anew.
 */
export async function missedItems(
  log: EventLog,
  feed: { readonly orgId: string; readonly partition: number },
  last: EventId | undefined,
  upTo: number,
): Promise<FeedItem[] | undefined> {
  if (last === undefined || last.epoch !== log.epoch(TOPICS.feed)) return undefined;
  if (last.offset > upTo || upTo - last.offset > STREAM_LIMITS.replayedRecords) return undefined;
  if (last.offset === upTo) return [];
  const bounds = await log.bounds(TOPICS.feed);
  const window = bounds.find(({ partition }) => partition === feed.partition);
  if (window === undefined || window.start > last.offset + 1) return undefined;
  const items: FeedItem[] = [];
  for await (const batch of log.read(TOPICS.feed, feed.partition, last.offset + 1, upTo + 1))
    for (const stored of batch.records) {
      if (stored.key !== feed.orgId) continue;
      items.push(...readFeedRecord(stored).items);
    }
  const merged = mergeItems(items);
  return merged.length > STREAM_LIMITS.replayedObjects ? undefined : merged;
}
