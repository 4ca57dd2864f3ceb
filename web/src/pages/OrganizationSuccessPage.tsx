import { AuthLayout } from './AuthLayout.tsx';

export function OrganizationSuccessPage() {
  return (
    <AuthLayout title="Check your mail">
      <p className="auth-lead" role="status">
        Organization has been created. Activation link has been sent.
      </p>
    </AuthLayout>
  );
}
