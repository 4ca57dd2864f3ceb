/** Judges the result of an attempt for the notice and its webhook. Pure. */
import { backoffMs, type PostAnswer } from '@sentinel-node/platform';
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
    retryAfterMs: retryAfterMs(retryAfter, now),
  };
}

export const noAnswer = (problem: string): Verdict => ({
  kind: 'FAILED',
  problem,
  pauses: true,
  retryAfterMs: 0,
});

/**
 * Returns the milliseconds of `Retry-After` (RFC 9110 10.2.3), at most the limit; 0 when absent or
 * unreadable.
 */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const wanted = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), WEBHOOK_LIMITS.retryAfterMs) : 0;
}

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
