import { useAtomValue } from 'jotai';
import { useHistoryState } from 'wouter/use-browser-location';
import { paths } from '../paths.ts';
import { configAtom } from '../state/config.ts';
import type { NoticeText } from '../state/notices.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { AuthLayout } from './AuthLayout.tsx';

const ALREADY_EXISTS = 400;

/** Why the form of an organisation failed. */
export interface OrganizationFailure {
  code: number;
  /** Whether it may be created all the same. */
  isUnknown: boolean;
  message: string;
}

const EXISTS = 'The same organization cannot be created twice. Ask its administrator to assign you to it.';
const IF_CREATED = 'If it was created, a mail with the activation link has been sent.';

/** Returns what this page says, for a person who has left the form. */
export const organizationFailureNotice = ({ code, isUnknown, message }: OrganizationFailure): NoticeText => ({
  tone: 'danger',
  title: titleOf(code, isUnknown),
  text: code === ALREADY_EXISTS ? EXISTS : message,
  reason: isUnknown ? IF_CREATED : undefined,
});

/** Tells the failure that the form passes on; opened by its address, nobody knows what came of the form. */
export function OrganizationErrorPage() {
  const { code, isUnknown, message = '' } = useHistoryState<Partial<OrganizationFailure> | null>() ?? {};
  return (
    <AuthLayout title={titleOf(code, isUnknown)}>
      {code === ALREADY_EXISTS ? (
        <p className="auth-lead" role="alert">
          {EXISTS}
        </p>
      ) : (
        <OtherFailure message={message} />
      )}
      {isUnknown === true && <p className="auth-note">{IF_CREATED}</p>}
      <ButtonLink to={paths.defineOrganization} icon="back">
        Back
      </ButtonLink>
    </AuthLayout>
  );
}

function titleOf(code: number | undefined, isUnknown = code === undefined): string {
  if (isUnknown) return 'It is not known whether the organization was created';
  return code === ALREADY_EXISTS ? 'Organization already exists!' : 'Organization was not created';
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
