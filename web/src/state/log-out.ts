import { isCode } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from './api.ts';
import { guardNavigation, navigateUnguarded } from './guard.ts';
import { dropForms } from './kept-forms.ts';
import { notify } from './notices.ts';
import { signOut } from './session.ts';

/** Logs out; a page with unsaved changes asks first. */
export const logOut = (): void => guardNavigation(() => void endSession());

/** Ends the session; when the server did not end the token, the person stays signed in and sees a notice. */
async function endSession(): Promise<void> {
  try {
    await api().logout();
  } catch (error) {
    if (isCode(error, 'UNAUTHENTICATED')) return navigateUnguarded(paths.login);
    const text = `You are still logged in. ${messageOf(error)}`;
    return notify({ tone: 'danger', title: 'Log out failed', text });
  }
  dropForms();
  signOut({ deliberate: true });
  navigateUnguarded(paths.login);
}
