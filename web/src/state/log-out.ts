import { ApiError, mayBeDone } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from './api.ts';
import { guardNavigation, navigateUnguarded } from './guard.ts';
import { dropForms } from './kept-forms.ts';
import { notify, type NoticeText } from './notices.ts';
import { signOut } from './session.ts';

/** Logs out; a page with unsaved changes asks first. */
export const logOut = (): void => guardNavigation(() => void endSession());

/** Ends the session; unless the server has ended the token, the person stays signed in and sees a notice. */
async function endSession(): Promise<void> {
  try {
    await api().logout();
  } catch (error) {
    const hasEnded = error instanceof ApiError && error.status === 401;
    if (!hasEnded) return notify(failureOf(error));
  }
  dropForms();
  signOut({ deliberate: true });
  navigateUnguarded(paths.login);
}

function failureOf(error: unknown): NoticeText {
  const why = messageOf(error);
  return mayBeDone(error)
    ? {
        tone: 'danger',
        title: 'It is not known whether you are logged out.',
        text: 'Log out again to be sure.',
        reason: why,
      }
    : { tone: 'danger', title: 'Log out failed', text: `You are still logged in. ${why}` };
}
