import { useAtomValue } from 'jotai';
import { useHistoryState } from 'wouter/use-browser-location';
import { paths } from '../paths.ts';
import { configAtom } from '../state/config.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { AuthLayout } from './AuthLayout.tsx';

const ALREADY_EXISTS = 400;

interface Failure {
  code?: number;
  message?: string;
}

export function OrganizationErrorPage() {
  const failure = useHistoryState<Failure | null>();
  const exists = failure?.code === ALREADY_EXISTS;
  return (
    <AuthLayout title={exists ? 'Organization already exists!' : 'Organization was not created'}>
      {exists ? (
        <p className="auth-lead" role="alert">
          The same organization cannot be created twice. Ask its administrator to assign you to it.
        </p>
      ) : (
        <OtherFailure message={failure?.message ?? ''} />
      )}
      <ButtonLink to={paths.defineOrganization} icon="back">
        Back
      </ButtonLink>
    </AuthLayout>
  );
}

function OtherFailure({ message }: { message: string }) {
  const walletUrl = useAtomValue(configAtom)?.walletUrl;
  return (
    <>
      <p className="auth-lead" role="alert">
        An error occurred while creating organization. {message}
      </p>
      {walletUrl !== undefined && <a href={walletUrl}>Go to the wallet</a>}
    </>
  );
}
