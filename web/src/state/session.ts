import type { Session } from '@sentinel-node/contracts';
import { atom, getDefaultStore } from 'jotai';
import { isRecord } from '../narrow.ts';

export interface SignedIn extends Session {
  token: string;
}

export type SessionState =
  | { status: 'restoring' }
  | { status: 'unreachable'; error: unknown }
  /** `deliberate`: the person logged out, and is not led back to where they were. */
  | { status: 'out'; deliberate: boolean }
  | { status: 'in'; user: SignedIn };

const STORED_USER = 'sentinel.user';

export const sessionAtom = atom<SessionState>({ status: 'restoring' });

export const userAtom = atom((get) => {
  const session = get(sessionAtom);
  return session.status === 'in' ? session.user : null;
});
export const orgIdAtom = atom((get) => get(userAtom)?.orgId ?? null);
export const isAdminAtom = atom((get) => get(userAtom)?.userRole === 'ADMIN');

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
    // Not our JSON, or storage is blocked: nobody is signed in.
    return null;
  }
}

export function signIn(user: SignedIn): void {
  try {
    localStorage.setItem(STORED_USER, JSON.stringify({ token: user.token, email: user.email }));
  } catch {
    // Storage is blocked: the session lives as long as the page.
  }
  getDefaultStore().set(sessionAtom, { status: 'in', user });
}

export function signOut({ deliberate = false } = {}): void {
  try {
    localStorage.removeItem(STORED_USER);
  } catch {
    // Storage is blocked: there is nothing to remove.
  }
  getDefaultStore().set(sessionAtom, { status: 'out', deliberate });
}

/** The token of the present session, also while it is being restored. */
export function currentToken(): string | null {
  const session = getDefaultStore().get(sessionAtom);
  if (session.status === 'in') return session.user.token;
  return session.status === 'out' ? null : (readStoredUser()?.token ?? null);
}
