import { getDefaultStore } from 'jotai';
import { isCode } from '../api/errors.ts';
import { ApiError } from '../api/errors.ts';
import { api } from './api.ts';
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

/**
 * Reads the session again, for example after an activation; returns whether the server gave it. Keeps the old session
 * after a failure.
 */
export async function refreshSession(): Promise<boolean> {
  const session = getDefaultStore().get(sessionAtom);
  if (session.status !== 'in') return false;
  const { token } = session.user;
  const fresh = await api()
    .getSession()
    .catch(() => null);
  // The person may have logged out meanwhile.
  if (fresh?.success === true && currentToken() === token) signIn({ ...fresh, token });
  return fresh !== null;
}
