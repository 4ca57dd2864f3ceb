import { ApiError } from '@sentinel-node/platform';
import { Refusal } from '../domain/refusal.ts';

/** Returns a route's answer. Only this function throws a refusal, as problem details (`ERRORS` gives the status). */
export async function answerOf<T>(result: Promise<T | Refusal>): Promise<T> {
  const answer = await result;
  if (answer instanceof Refusal) throw errorOf(answer);
  return answer;
}

export const errorOf = (refusal: Refusal): ApiError => new ApiError(refusal.code, refusal);
