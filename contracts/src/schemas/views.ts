import type { Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { closed, nullable, TimestampSchema } from './common.ts';

export const VIEWS_STATES = ['CURRENT', 'BEHIND', 'UNKNOWN'] as const;
export type ViewsState = (typeof VIEWS_STATES)[number];

/** Tells how old reads are: they come from views, which follow the log. */
export const ViewsWordSchema = closed({
  state: oneOf(
    VIEWS_STATES,
    'BEHIND: something that the log took over a minute ago is not shown yet; UNKNOWN: the log does not answer, so that nobody knows how far behind',
  ),
  asOf: nullable(TimestampSchema),
});
export type ViewsWord = Static<typeof ViewsWordSchema>;

/** Headers of every answer below /api/v1 of the query service; the second is left out while nothing is known. */
export const VIEWS_HEADERS = { state: 'sentinel-views', asOf: 'sentinel-views-as-of' } as const;
/** Name of the frame of the live stream that tells the same. */
export const VIEWS_FRAME = 'views';
