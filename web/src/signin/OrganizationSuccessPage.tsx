import { useState } from 'react';
import { refreshSession } from '../state/restore.ts';
import { useSessionOnReturn } from './use-session-on-return.ts';
import { Button } from '../ui/Button.tsx';
import { AuthLayout } from './AuthLayout.tsx';

const NOT_OPENED = 'The activation link was not opened yet.';
const NOT_READ = 'The server could not be asked whether the activation link was opened. Try again.';

export function OrganizationSuccessPage() {
  useSessionOnReturn();
  const [answer, setAnswer] = useState<string | null>(null);
  // After the activation link was opened, the session has an organisation, and the routes redirect.
  const goOn = (): void => void refreshSession().then((isRead) => setAnswer(isRead ? NOT_OPENED : NOT_READ));
  return (
    <AuthLayout title="Check your mail">
      <p className="auth-lead" role="status">
        Organization has been created. Activation link has been sent.
      </p>
      <p className="auth-note">Open the link in the mail, then go on here.</p>
      <Button tone="primary" onClick={goOn}>
        Continue
      </Button>
      {answer !== null && (
        <p className="auth-note" role="alert">
          {answer}
        </p>
      )}
    </AuthLayout>
  );
}
