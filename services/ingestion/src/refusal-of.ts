import { ApiError, apiErrorOf, NotDurableError, OverloadedError, rateLimited } from '@sentinel-node/platform';
import { Refusal } from './domain/refusal.ts';
import type { Exceeded } from './sender-rates.ts';

/** Returns the refusal for an error of platform. @throws the error itself when it is unexpected */
export function refusalOf(error: unknown): Refusal {
  const isExpected =
    error instanceof ApiError || error instanceof OverloadedError || error instanceof NotDurableError;
  if (!isExpected) throw error;
  const { code, detail, errors, retryAfterSeconds, headers } = apiErrorOf(error);
  return new Refusal(code, { detail, errors, retryAfterSeconds, headers });
}

/** Returns RATE_LIMITED for a limit that the call would exceed. */
export const rateRefusal = (exceeded: Exceeded | undefined): Refusal | undefined =>
  exceeded && refusalOf(rateLimited(exceeded.limit, exceeded.taken, exceeded.detail));

/** Returns the result of `work`, or the refusal for its error. */
export async function resultOrRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    return refusalOf(error);
  }
}
