import { useSessionOnReturn } from '../state/use-session-on-return.ts';
import { AuthLayout } from './AuthLayout.tsx';

export function OrganizationSuccessPage() {
  useSessionOnReturn();
  return (
    <AuthLayout title="Check your mail">
      <p className="auth-lead" role="status">
        Organization has been created. Activation link has been sent.
      </p>
    </AuthLayout>
  );
}
