import { AuthLayout } from './AuthLayout.tsx';
import { WalletButton } from './WalletButton.tsx';

export function LoginErrorPage() {
  return (
    <AuthLayout title="Login failed.">
      <p className="auth-lead" role="alert">
        Something went wrong, please try again.
      </p>
      <WalletButton />
    </AuthLayout>
  );
}
