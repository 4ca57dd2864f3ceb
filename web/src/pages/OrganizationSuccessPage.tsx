import { useState } from 'react';
import { refreshSession } from '../state/restore.ts';
import { useSessionOnReturn } from '../state/use-session-on-return.ts';
import { Button } from '../ui/Button.tsx';
import { AuthLayout } from './AuthLayout.tsx';

export function OrganizationSuccessPage() {
  useSessionOnReturn();
  const [asked, setAsked] = useState(false);
  // After the activation link was opened, the session has an organisation, and the routes redirect.
  const goOn = (): void => void refreshSession().then(() => setAsked(true));
  return (
    <AuthLayout title="Check your mail">
      <p className="auth-lead" role="status">
        Organization has been created. Activation link has been sent.
      </p>
      <p className="auth-note">Open the link in the mail, then go on here.</p>
      <Button tone="primary" onClick={goOn}>
        Continue
      </Button>
      {asked && (
        <p className="auth-note" role="alert">
          The activation link was not opened yet.
        </p>
      )}
    </AuthLayout>
  );
}
