/** Judges the result of an attempt for the notice and its webhook. Pure. */
import { backoffMs, retryAfterMs, type PostAnswer } from '@sentinel-node/platform';
import { WEBHOOK_LIMITS } from './limits.ts';

export interface Verdict {
  readonly kind: 'DELIVERED' | 'FAILED' | 'GONE';
  /** Text for people; null when the notice was delivered. */
  readonly problem: string | null;
  /** When true, the receiver is at fault, and its other notices wait too. */
  readonly pauses: boolean;
  /** Milliseconds that the receiver asked to wait; 0 for none. */
  readonly retryAfterMs: number;
}

const GONE = 410;
/** Statuses below 500 that are about the receiver, not the notice: timeout, too early, too many requests. */
const PAUSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** @param now milliseconds since the Unix epoch */
export function verdictOf(
  { status, retryAfter }: Pick<PostAnswer, 'status' | 'retryAfter'>,
  now: number,
): Verdict {
  if (status >= 200 && status < 300)
    return { kind: 'DELIVERED', problem: null, pauses: false, retryAfterMs: 0 };
  if (status === GONE)
    return { kind: 'GONE', problem: 'the receiver answered 410 Gone', pauses: false, retryAfterMs: 0 };
  const isRedirect = status >= 300 && status < 400;
  return {
    kind: 'FAILED',
    problem: isRedirect
      ? `the receiver redirects (${status}); redirects are not followed`
      : `the receiver answered ${status}`,
    pauses: status < 400 || status >= 500 || PAUSING.has(status),
    retryAfterMs: retryAfterMs(retryAfter, now, WEBHOOK_LIMITS.retryAfterMs),
  };
}

export const noAnswer = (problem: string): Verdict => ({
  kind: 'FAILED',
  problem,
  pauses: true,
  retryAfterMs: 0,
});

/**
 * Returns the milliseconds until the next attempt for a notice.
 * @param attempts that failed, from 1
 * @param chance in [0, 1)
 */
export function retryMs(attempts: number, { retryAfterMs }: Verdict, chance: number): number {
  return Math.max(backoffMs(attempts - 1, WEBHOOK_LIMITS.retry, chance), retryAfterMs);
}

/** Returns the milliseconds until the next attempt for the webhook. @param failures in a row, from 1 */
export function pauseMs(failures: number, { retryAfterMs }: Verdict, chance: number): number {
  return Math.max(backoffMs(failures - 1, WEBHOOK_LIMITS.pause, chance), retryAfterMs);
}
