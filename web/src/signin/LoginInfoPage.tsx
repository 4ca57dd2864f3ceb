import { paths } from '../paths.ts';
import { useSessionOnReturn } from './use-session-on-return.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { AuthLayout } from './AuthLayout.tsx';

export function LoginInfoPage() {
  useSessionOnReturn();
  return (
    <AuthLayout title="Almost there">
      <p className="auth-lead">You are not assigned to any organization yet.</p>
      <p className="auth-note">Create one, or wait until an administrator of yours assigns you.</p>
      <ButtonLink to={paths.defineOrganization} tone="primary">
        Create organization
      </ButtonLink>
    </AuthLayout>
  );
}
