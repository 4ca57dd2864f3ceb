import { ApiError, ConflictError, isTransient } from '@sentinel-node/platform';

/**
 * Runs what follows a change that was made.
 * @throws ApiError UNAVAILABLE when that fails for now: a client takes OVERLOADED and CONFLICT for "nothing was done", which is no
 * longer so
 */
export async function afterChange<T>(
  work: () => Promise<T>,
  detail = 'The change was made, and is shown later.',
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isBusy = error instanceof ApiError && error.code === 'OVERLOADED';
    if (!isBusy && !isTransient(error) && !(error instanceof ConflictError)) throw error;
    throw new ApiError('UNAVAILABLE', { detail });
  }
}
