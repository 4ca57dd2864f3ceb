/** Finds the changes that a reconnecting client has missed, as far as the feed's window reaches. */
import { TOPICS, type FeedItem } from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import { mergeItems } from '../views/index.ts';
import type { EventId } from './event-id.ts';
import { feedRecordOf } from './feed-record.ts';
import { STREAM_LIMITS } from './limits.ts';

/**
 * Returns the newest item of each object of the organisation after `last` up to `upTo` (inclusive), and all of
 * `expired`, because expirations are in no record.
 * @returns undefined when the window has moved on or there are too many items; the client must reload
 */
export async function missedItems(
  log: EventLog,
  feed: { readonly orgId: string; readonly partition: number },
  last: EventId | undefined,
  upTo: number,
  expired: () => Promise<readonly FeedItem[]>,
): Promise<FeedItem[] | undefined> {
  if (last === undefined || last.epoch !== log.epoch(TOPICS.feed)) return undefined;
  if (last.offset > upTo || upTo - last.offset > STREAM_LIMITS.replayedRecords) return undefined;
  const recorded = last.offset < upTo ? await recordedItems(log, feed, last.offset + 1, upTo + 1) : [];
  if (recorded === undefined) return undefined;
  const merged = mergeItems([...recorded, ...(await expired())]);
  return merged.length > STREAM_LIMITS.replayedObjects ? undefined : merged;
}

/** Returns the items of the records [from, to); undefined when the window has moved on or a record is unreadable. */
async function recordedItems(
  log: EventLog,
  feed: { readonly orgId: string; readonly partition: number },
  from: number,
  to: number,
): Promise<FeedItem[] | undefined> {
  const bounds = await log.bounds(TOPICS.feed);
  const window = bounds.find(({ partition }) => partition === feed.partition);
  if (window === undefined || window.start > from) return undefined;
  const items: FeedItem[] = [];
  for await (const batch of log.read(TOPICS.feed, feed.partition, from, to))
    for (const stored of batch.records) {
      if (stored.key !== feed.orgId) continue;
      const record = feedRecordOf(stored);
      if (record === undefined) return undefined;
      items.push(...record.items);
    }
  return items;
}
