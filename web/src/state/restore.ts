import { getDefaultStore } from 'jotai';
import { ApiError, isCode } from '../api/errors.ts';
import { retryDelay } from '../api/stream.ts';
import { api } from './api.ts';
import { isPassing } from './unread.ts';
import { currentToken, readStoredUser, sessionAtom, signIn, signOut } from './session.ts';

/** Restores the session at the start: the server decides whether the stored token is valid. */
export async function restoreSession(): Promise<void> {
  const stored = readStoredUser();
  if (stored === null) return signOut();
  try {
    const session = await api().getSession();
    if (session.success) signIn({ ...session, token: stored.token });
    else signOut();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return signOut();
    if (isCode(error, 'FORBIDDEN')) return signOut();
    getDefaultStore().set(sessionAtom, { status: 'unreachable', error });
  }
}

/** The next try after a failed one. */
let again: ReturnType<typeof setTimeout> | undefined;
let failures = 0;

function tryAgainLater(): void {
  again = setTimeout(() => void refreshSession(), retryDelay(failures, Math.random()));
  failures += 1;
}

/**
 * Reads the session again, for example after an activation or a change of the role; returns whether the server gave it. After a
 * failure that passes it keeps the old session, and tries again by itself, each time later.
 */
export async function refreshSession(): Promise<boolean> {
  clearTimeout(again);
  const session = getDefaultStore().get(sessionAtom);
  if (session.status !== 'in') return false;
  const { token } = session.user;
  try {
    const fresh = await api().getSession();
    failures = 0;
    // The person may have logged out meanwhile.
    if (fresh.success && currentToken() === token) signIn({ ...fresh, token });
    return true;
  } catch (error) {
    clearTimeout(again);
    if (isPassing(error) && currentToken() === token) tryAgainLater();
    return false;
  }
}
