import { LIMITS } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { ApiError, mayBeDone } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import { isEmail, required } from '../forms/rules.ts';
import { useForm, type Typed } from '../forms/use-form.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { leaveForm, navigate } from '../state/guard.ts';
import { formPlace, keepForm } from '../state/kept-forms.ts';
import type { NoticeText } from '../state/notices.ts';
import { userAtom } from '../state/session.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { Button } from '../ui/Button.tsx';
import { TextInput } from '../ui/Field.tsx';
import { AuthLayout } from './AuthLayout.tsx';
import { organizationFailureNotice, type OrganizationFailure } from './OrganizationErrorPage.tsx';

interface Values {
  userName: string;
  emailAddress: string;
  name: string;
}

/** User id for a person without an id from the wallet. */
const NO_USER_ID = 'noUserId';

const validate = ({ userName, emailAddress, name }: Values) => ({
  userName: required(userName, 'Full name is required'),
  emailAddress:
    required(emailAddress, 'Email is required') ??
    (isEmail(emailAddress.trim()) ? undefined : 'Invalid email address'),
  name: required(name, 'Name is required'),
});

/** Name under which the unsaved values are kept. */
const ORGANIZATION_FORM = 'organization';

const made: NoticeText = {
  tone: 'success',
  title: 'Organization has been created.',
  text: 'Activation link has been sent.',
};

async function create(
  { values, base }: Typed<Values>,
  userId: string,
  isShown: () => boolean,
): Promise<void> {
  const place = formPlace();
  try {
    await api().createOrganization({
      name: values.name.trim(),
      userName: values.userName.trim(),
      emailAddress: values.emailAddress.trim(),
      e2Id: userId === '' ? NO_USER_ID : userId,
    });
    leaveForm(isShown(), paths.organizationSuccess, null, made);
  } catch (error) {
    keepForm(ORGANIZATION_FORM, { values, base }, place);
    const code = error instanceof ApiError ? error.status : 0;
    const failure: OrganizationFailure = { code, isUnknown: mayBeDone(error), message: messageOf(error) };
    leaveForm(isShown(), paths.organizationError, failure, organizationFailureNotice(failure));
  }
}

export function DefineOrganizationPage() {
  const user = useAtomValue(userAtom);
  const [busy, setBusy] = useState(false);
  const isShown = useIsShown();
  const form = useForm<Values>(
    { userName: user?.name ?? '', emailAddress: user?.email ?? '', name: '' },
    validate,
    ORGANIZATION_FORM,
  );
  const submit = form.submit((values) => {
    setBusy(true);
    void create({ values, base: form.base }, user?.userId ?? '', isShown);
  });
  return (
    <AuthLayout title="Create organization">
      <form className="stack auth-form" noValidate onSubmit={submit}>
        <TextInput label="Full name" maxLength={LIMITS.nameCharacters} {...form.text('userName')} />
        <TextInput
          label="E-mail"
          type="email"
          maxLength={LIMITS.emailCharacters}
          {...form.text('emailAddress')}
        />
        <TextInput label="Organization name" maxLength={LIMITS.nameCharacters} {...form.text('name')} />
        <footer className="form-foot">
          <Button icon="back" onClick={() => navigate(paths.loginInfo)}>
            Back
          </Button>
          <Button tone="primary" type="submit" busy={busy} disabled={!form.valid}>
            Create organization
          </Button>
        </footer>
      </form>
    </AuthLayout>
  );
}
