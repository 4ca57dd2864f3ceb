import { LIMITS, ROLES } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link } from 'wouter';
import { AdministratorsOnly } from '../components/AdministratorsOnly.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';
import { failedChange } from '../errors.ts';
import { isEmail, required } from '../forms/rules.ts';
import { useForm } from '../forms/use-form.ts';
import { roleWord } from '../format.ts';
import { isOneOf } from '../narrow.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { navigate } from '../state/guard.ts';
import { formPlace, keepForm } from '../state/kept-forms.ts';
import { isAdminAtom } from '../state/session.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { Button } from '../ui/Button.tsx';
import { Select, TextInput } from '../ui/Field.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { leaveUserForm } from './UsersPage.tsx';

interface Values {
  name: string;
  email: string;
  type: string;
}

const validate = ({ name, email, type }: Values) => ({
  name: required(name, 'User name is required'),
  email: isEmail(email.trim()) ? undefined : 'Email address is required',
  type: required(type, 'User type is required'),
});

const types = [
  { value: '', label: 'Choose a type' },
  ...ROLES.map((role) => ({ value: role, label: roleWord[role] })),
];

const USER_FORM = 'user';
const initial: Values = { name: '', email: '', type: '' };

async function add(orgId: string, values: Values, isShown: () => boolean): Promise<void> {
  const { type } = values;
  if (!isOneOf(ROLES, type)) return;
  const place = formPlace();
  try {
    await api().addUser(orgId, { name: values.name.trim(), email: values.email.trim(), type, orgId });
    leaveUserForm(isShown(), { added: values.name.trim() });
  } catch (error) {
    keepForm(USER_FORM, { values, base: initial }, place);
    leaveUserForm(isShown(), failedChange(error));
  }
}

export function DefineUserPage({ orgId }: { orgId: string }) {
  const isAdmin = useAtomValue(isAdminAtom);
  const [busy, setBusy] = useState(false);
  const isShown = useIsShown();
  const form = useForm(initial, validate, USER_FORM);
  const quit = useLeaveGuard(isAdmin && form.dirty && !busy, 'Do you want to quit adding a user?');
  if (!isAdmin) return <AdministratorsOnly instead={paths.users} />;
  const submit = form.submit((values) => {
    setBusy(true);
    void add(orgId, values, isShown);
  });
  return (
    <div className="narrow">
      <PageHeader title="Adding user" over={<Link href={paths.users}>Users management</Link>} />
      <form className="card form" noValidate onSubmit={submit}>
        <TextInput label="Name" maxLength={LIMITS.nameCharacters} {...form.text('name')} />
        <TextInput label="Email" type="email" maxLength={LIMITS.emailCharacters} {...form.text('email')} />
        <Select label="User type" options={types} {...form.text('type')} />
        <footer className="form-foot">
          <Button onClick={() => navigate(paths.users)}>Cancel</Button>
          <Button tone="primary" type="submit" busy={busy}>
            Add user
          </Button>
        </footer>
      </form>
      {quit}
    </div>
  );
}
