import { useEffect, useState } from 'react';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { navigateUnguarded } from '../state/guard.ts';
import { readReturnPath } from '../state/return-place.ts';
import { signIn } from '../state/session.ts';
import { takeLoginState } from './wallet.ts';
import { AuthLayout } from './AuthLayout.tsx';

const POLL_MS = 2_000;
const FAILURES_MAX = 4;

/** Removes the wallet's token from the URL and returns it; null when this tab did not begin the sign-in. */
function takeAccessToken(): string | null {
  const query = new URLSearchParams(location.search);
  const accessToken = query.get('access_token');
  history.replaceState(null, '', paths.authentication);
  return takeLoginState(query.get('state')) ? accessToken : null;
}

async function attempt(accessToken: string, signal: AbortSignal): Promise<string | null> {
  const result = await api()
    .login(accessToken, signal)
    .catch(() => null);
  if (signal.aborted || result === null || !result.success) return null;
  const place = readReturnPath(result.email);
  signIn(result);
  return result.orgId === null ? paths.loginInfo : (place ?? paths.dashboard);
}

export function AuthenticationPage() {
  const [accessToken] = useState(takeAccessToken);
  useEffect(() => {
    if (accessToken === null || accessToken === '')
      return navigateUnguarded(paths.loginError, { replace: true });
    const controller = new AbortController();
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async (): Promise<void> => {
      const target = await attempt(accessToken, controller.signal);
      if (controller.signal.aborted) return;
      if (target !== null) return navigateUnguarded(target, { replace: true });
      failures += 1;
      if (failures > FAILURES_MAX) return navigateUnguarded(paths.loginError, { replace: true });
      timer = setTimeout(() => void poll(), POLL_MS);
    };
    void poll();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [accessToken]);
  return (
    <AuthLayout title="Logging in...">
      <p className="auth-lead" role="status">
        <span className="spinner" aria-hidden="true" /> Waiting for the wallet to confirm you.
      </p>
    </AuthLayout>
  );
}
