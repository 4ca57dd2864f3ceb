/** What a client that comes back has missed, as far as the feed's window still holds it. */
import { TOPICS, type FeedItem } from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import { mergeItems } from '../views/index.ts';
import type { EventId } from './event-id.ts';
import { feedRecordOf } from './feed-record.ts';
import { STREAM_LIMITS } from './limits.ts';

/**
 * Items of the organisation after `last` up to `upTo` (included), the newest of each object, and `expired`: what time
 * alone changed stands in no record, so whoever comes back is told all of it.
 * undefined: not known any more, or too much; the client has to load anew.
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

/** Of the records [from, to); undefined: the window has moved on, or one cannot be read. */
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
