import { ApiError, apiErrorOf, NotDurableError, OverloadedError } from '@sentinel-node/platform';
import { Refusal } from './domain/refusal.ts';

/** The refusal that an error of platform stands for. @throws the error itself when it is a surprise */
export function refusalOf(error: unknown): Refusal {
  const isExpected =
    error instanceof ApiError || error instanceof OverloadedError || error instanceof NotDurableError;
  if (!isExpected) throw error;
  const { code, detail, errors, retryAfterSeconds, headers } = apiErrorOf(error);
  return new Refusal(code, { detail, errors, retryAfterSeconds, headers });
}

/** The result of `work`, or the refusal that it ended with. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    return refusalOf(error);
  }
}
