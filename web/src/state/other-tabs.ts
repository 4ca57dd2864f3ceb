import { getDefaultStore } from 'jotai';
import { onReturn } from '../api/on-return.ts';
import { api, endSession } from './api.ts';
import { readStoredUser, sessionAtom, signIn, STORED_USER } from './session.ts';
import { isPassing } from './unread.ts';

const presentSession = () => getDefaultStore().get(sessionAtom);

/**
 * Signs a logged-out tab in with the session of another tab. The page stays as it is until the server has given the session,
 * because a stranger's page, such as a check of a proof, can have input. Returns whether another try may succeed.
 */
async function signInAsElsewhere(): Promise<boolean> {
  const stored = readStoredUser();
  if (stored === null || presentSession().status !== 'out') return false;
  const { token } = stored;
  try {
    const session = await api().getSessionOf(token);
    const isStill = presentSession().status === 'out' && readStoredUser()?.token === token;
    if (session.success && isStill) signIn({ ...session, token });
    return false;
  } catch (error) {
    return isPassing(error);
  }
}

/** Follows what other tabs do: a logout ends the session here too, a sign-in signs a logged-out tab in. */
export function followOtherTabs(): void {
  let triesAgain = false;
  const follow = async (): Promise<void> => {
    triesAgain = false;
    triesAgain = await signInAsElsewhere();
  };
  window.addEventListener('storage', ({ key }) => {
    // A null key: the whole storage was cleared.
    if (key !== STORED_USER && key !== null) return;
    const session = presentSession();
    if (session.status === 'in' && readStoredUser() === null) endSession(session.user.token);
    void follow();
  });
  onReturn(() => {
    if (triesAgain) void follow();
  });
}
