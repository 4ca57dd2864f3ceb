import { useEffect, useState } from 'react';
import { useParams } from 'wouter';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { refreshSession } from '../state/restore.ts';
import { isPassing } from '../state/unread.ts';
import { Notice } from '../ui/Notice.tsx';
import { LoginPage } from '../signin/LoginPage.tsx';

const CONFIRMED = 'OK';
/** Links tried by this page: a link works once, and an effect may run twice. */
const tried = new Set<string>();

/**
 * Confirms and says how it went. Returns why the server could not be asked; null when it has answered.
 * @param isAgain whether an earlier try may have reached the server
 */
async function confirm(id: string, isAgain: boolean): Promise<unknown> {
  tried.add(id);
  try {
    if ((await api().confirmUser(id)) === CONFIRMED) {
      notify({ tone: 'success', title: 'Your account has been activated!' });
      await refreshSession();
      return null;
    }
  } catch (error) {
    if (isPassing(error)) {
      tried.delete(id);
      return error;
    }
  }
  const text = isAgain
    ? 'Log in to see whether the first try activated the account.'
    : 'A link works once. If you opened it before, log in; otherwise ask an administrator for a new invitation.';
  notify({ tone: 'danger', title: 'Incorrect activation code!', text });
  return null;
}

export function ConfirmUserPage() {
  const { id } = useParams<{ id: string }>();
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    if (!tried.has(id)) void confirm(id, false).then(setFailure);
  }, [id]);
  const askAgain = (): void => {
    setFailure(null);
    void confirm(id, true).then(setFailure);
  };
  return (
    <LoginPage>
      {failure !== null && (
        <Notice
          tone="danger"
          title="The activation link could not be checked."
          action={{ label: 'Try again', run: askAgain }}
        >
          {messageOf(failure)}
        </Notice>
      )}
    </LoginPage>
  );
}
