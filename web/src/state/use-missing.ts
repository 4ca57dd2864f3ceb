import { useEffect } from 'react';
import { ApiError } from '../api/errors.ts';
import type { Resource } from './use-resource.ts';

/** Time between two tries to read what a form offers, in ms, when the server names none. */
const TRY_AGAIN_MS = 3_000;

/** Returns whether what a form offers could not be read; tries again meanwhile. */
export function useMissing({
  data,
  error,
  reload,
}: Pick<Resource<unknown>, 'data' | 'error' | 'reload'>): boolean {
  const isMissing = data === undefined && error !== null;
  useEffect(() => {
    if (!isMissing) return undefined;
    const asked = error instanceof ApiError ? 1_000 * error.retryAfterSeconds : 0;
    const timer = setTimeout(reload, Math.max(TRY_AGAIN_MS, asked));
    return () => clearTimeout(timer);
  }, [isMissing, error, reload]);
  return isMissing;
}
