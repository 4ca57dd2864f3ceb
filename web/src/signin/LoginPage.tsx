import { useAtomValue } from 'jotai';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { paths } from '../paths.ts';
import { hasKeptForms } from '../state/kept-forms.ts';
import { sessionAtom } from '../state/session.ts';
import { Notice } from '../ui/Notice.tsx';
import { AuthLayout } from './AuthLayout.tsx';
import { WalletButton } from './WalletButton.tsx';

/** @param children what the page says first */
export function LoginPage({ children }: { children?: ReactNode }) {
  const session = useAtomValue(sessionAtom);
  return (
    <AuthLayout title="Sentinel Node">
      {children}
      {session.status === 'out' && session.ended && (
        <Notice tone="info" title="Your session has ended.">
          Log in to return to where you were.{hasKeptForms() && ' What you typed is kept in this tab.'}
        </Notice>
      )}
      <p className="auth-lead">
        Welcome. Your files are watched, every change is linked to the one before it, and the chain is
        anchored where nobody can rewrite it.
      </p>
      <WalletButton />
      <p className="auth-note">
        You need an e2wallet account first. If you have none, it can be created during login.
      </p>
      <p className="auth-note">
        You were given a proof?{' '}
        <Link href={paths.verify} className="inline-link">
          Check it here
        </Link>
        , without an account.
      </p>
    </AuthLayout>
  );
}
