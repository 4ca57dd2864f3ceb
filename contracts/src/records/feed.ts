/** Records of `sentinel.feed.v1` (key: orgId): changes for the console, all frames of one source record together. */
import { Type, type Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { closed, CountSchema, UuidSchema } from '../schemas/common.ts';

export const FEED_KINDS = [
  'event',
  'alert',
  'device',
  'file',
  'user',
  'organization',
  /** `maintenance`, `expected` and `parking` make no frame: the query processes refresh their own state by them. */
  'maintenance',
  'expected',
  'parking',
  'anchor',
  'summary',
] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

/** `id` and `rev` name the changed object; the stream reads it as lists return it, with the listener's role. */
export const FeedItemSchema = closed({
  kind: oneOf(FEED_KINDS),
  id: Type.String(),
  rev: CountSchema,
});
export type FeedItem = Static<typeof FeedItemSchema>;

export const FeedRecordSchema = closed({
  v: Type.Literal(1),
  orgId: UuidSchema,
  items: Type.Array(FeedItemSchema),
});
export type FeedRecord = Static<typeof FeedRecordSchema>;
