import type { OutboxEntry } from '@sentinel-node/platform';
import { CLOCKS_APART_MS } from '../operator/clocks-apart.ts';
import type { Patience } from './wait-past.ts';

/**
 * Returns whether the record of a stored commit or claim may still come. On a stopped system none may: the audit has published what
 * waited. On a running one, only if its sweeper finds it: it asks for this mark, and for a time that has come.
 */
export const mayFollow = (
  { at, unpublished }: Pick<OutboxEntry, 'at' | 'unpublished'>,
  { isLive }: Pick<Patience, 'isLive'>,
  now: number,
): boolean => isLive && unpublished === 1 && Number.isSafeInteger(at) && at <= now + CLOCKS_APART_MS;
