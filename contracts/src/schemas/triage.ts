/** Assignment of alerts, comments on them, and the saved views of the alert list. */
import { Type, type Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { VISIBLE_PATTERN } from '../visible.ts';
import { closed, IdSchema, nullable, TimestampSchema, UuidSchema } from './common.ts';

export const AssignAlertsSchema = closed({
  ids: Type.Array(IdSchema, { minItems: 1, maxItems: LIMITS.pageItems }),
  userId: nullable(UuidSchema),
});
export type AssignAlerts = Static<typeof AssignAlertsSchema>;

export const CommentSchema = closed({
  text: Type.String({ minLength: 1, maxLength: LIMITS.commentCharacters, pattern: VISIBLE_PATTERN }),
});
export type Comment = Static<typeof CommentSchema>;

export const ALERT_HISTORY_KINDS = [
  'RAISED',
  'ASSIGNED',
  'COMMENTED',
  'SHARED',
  'DISMISSED',
  'RESET',
] as const;
/** One event in the history of an alert. */
export const AlertHistoryItemSchema = closed({
  id: Type.String(),
  kind: oneOf(ALERT_HISTORY_KINDS),
  timestamp: TimestampSchema,
  by: nullable(Type.String({ description: 'e-mail of then; null: no person' })),
  text: nullable(Type.String({ description: 'the comment or the note' })),
  to: Type.Array(
    Type.String({ description: 'e-mails of whom it was assigned to or shared with; none: it ended' }),
  ),
});
export type AlertHistoryItem = Static<typeof AlertHistoryItemSchema>;
export const AlertHistorySchema = closed({
  history: Type.Array(AlertHistoryItemSchema, { description: 'newest first' }),
});
export type AlertHistory = Static<typeof AlertHistorySchema>;

export const SavedViewSchema = closed({
  name: Type.String({ minLength: 1, maxLength: LIMITS.savedViewNameCharacters, pattern: VISIBLE_PATTERN }),
  /** Filters and grouping as in the console's address, without the question mark. */
  query: Type.String({ maxLength: LIMITS.savedViewQueryCharacters }),
});
export type SavedView = Static<typeof SavedViewSchema>;
/** Saved views, in the order that the person chose. */
export const SavedViewsSchema = closed({
  views: Type.Array(SavedViewSchema, { maxItems: LIMITS.savedViews }),
});
export type SavedViews = Static<typeof SavedViewsSchema>;
