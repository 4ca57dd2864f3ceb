import type { Session } from '../answers.ts';
import { atom, getDefaultStore } from 'jotai';
import { isRecord } from '../narrow.ts';

export interface SignedIn extends Session {
  token: string;
}

export type SessionState =
  | { status: 'restoring' }
  | { status: 'unreachable'; error: unknown }
  /**
   * `deliberate` after a logout: a later sign-in does not return to the earlier page.
   * `ended` after a session that the server ended while this page was open.
   * `person` is the e-mail of the person who was signed in; null when nobody was.
   */
  | { status: 'out'; deliberate: boolean; ended: boolean; person: string | null }
  | { status: 'in'; user: SignedIn };

/** Key of the stored user in localStorage. */
export const STORED_USER = 'sentinel.user';

export const sessionAtom = atom<SessionState>({ status: 'restoring' });

export const userAtom = atom((get) => {
  const session = get(sessionAtom);
  return session.status === 'in' ? session.user : null;
});
export const orgIdAtom = atom((get) => get(userAtom)?.orgId ?? null);
export const isAdminAtom = atom((get) => get(userAtom)?.userRole === 'ADMIN');

/** Returns the email address of the person who is signed in, or null. */
export const signedInEmail = (): string | null => getDefaultStore().get(userAtom)?.email ?? null;

interface StoredUser {
  token: string;
  email: string;
}

export function readStoredUser(): StoredUser | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORED_USER) ?? 'null');
    if (!isRecord(value)) return null;
    const { token, email } = value;
    return typeof token === 'string' && typeof email === 'string' ? { token, email } : null;
  } catch {
    // Foreign JSON or blocked storage: nobody is signed in.
    return null;
  }
}

export function signIn(user: SignedIn): void {
  try {
    localStorage.setItem(STORED_USER, JSON.stringify({ token: user.token, email: user.email }));
  } catch {
    // Storage is blocked: the session lasts as long as the page.
  }
  getDefaultStore().set(sessionAtom, { status: 'in', user });
}

export function signOut({ deliberate = false, ended = false } = {}): void {
  const own = currentToken();
  const person = signedInEmail() ?? readStoredUser()?.email ?? null;
  try {
    // Another tab may have signed in anew meanwhile.
    if (own === null || readStoredUser()?.token === own) localStorage.removeItem(STORED_USER);
  } catch {
    // Storage is blocked: there is nothing to remove.
  }
  getDefaultStore().set(sessionAtom, { status: 'out', deliberate, ended, person });
}

/** Returns the current session's token, also while the session is being restored. */
export function currentToken(): string | null {
  const session = getDefaultStore().get(sessionAtom);
  if (session.status === 'in') return session.user.token;
  return session.status === 'out' ? null : (readStoredUser()?.token ?? null);
}
