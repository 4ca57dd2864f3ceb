import { getDefaultStore } from 'jotai';
import { endSession } from './api.ts';
import { restoreSession } from './restore.ts';
import { readStoredUser, sessionAtom, STORED_USER } from './session.ts';

/** Follows what other tabs do: a logout ends the session here too, a sign-in signs a logged-out tab in. */
export function followOtherTabs(): void {
  window.addEventListener('storage', ({ key }) => {
    // A null key: the whole storage was cleared.
    if (key !== STORED_USER && key !== null) return;
    const session = getDefaultStore().get(sessionAtom);
    const stored = readStoredUser();
    if (session.status === 'in' && stored === null) endSession(session.user.token);
    if (session.status === 'out' && stored !== null) {
      getDefaultStore().set(sessionAtom, { status: 'restoring' });
      void restoreSession();
    }
  });
}
