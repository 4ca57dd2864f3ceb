import type { Role, User } from '@sentinel-node/contracts';
import { isEmail, required } from '../forms/rules.ts';
import { useForm } from '../forms/use-form.ts';
import { roleWord } from '../format.ts';
import { api } from '../state/api.ts';
import { Button } from '../ui/Button.tsx';
import { Select, TextInput } from '../ui/Field.tsx';

interface EditUserRowProps {
  orgId: string;
  user: User;
  columns: number;
  onSaved: () => void;
  onClose: () => void;
}

interface Values {
  name: string;
  emailAddress: string;
  role: Role;
}

const validate = ({ name, emailAddress, role }: Values) => ({
  name: required(name, 'User name is required'),
  emailAddress: isEmail(emailAddress.trim()) ? undefined : 'Email address is required',
  role: required(role, 'User type is required'),
});

/** Shows a user's row while it is edited. */
export function EditUserRow({ orgId, user, columns, onSaved, onClose }: EditUserRowProps) {
  const { name, emailAddress, role } = user;
  const form = useForm<Values>({ name, emailAddress, role }, validate);
  const save = (values: Values): void => {
    // A failed update has no message (specification, section 8); the row shows the server's data.
    api()
      .updateUser(orgId, user.id, {
        name: values.name.trim(),
        emailAddress: values.emailAddress.trim(),
        role: values.role,
      })
      .then(onSaved, onSaved);
  };
  return (
    <td colSpan={columns} className="edit-row">
      <form className="inline-form" noValidate aria-label={`Edit ${user.name}`} onSubmit={form.submit(save)}>
        <TextInput label="Name" autoFocus {...form.text('name')} />
        <TextInput label="Email" type="email" {...form.text('emailAddress')} />
        <Select
          label="Role"
          options={Object.entries(roleWord).map(([value, label]) => ({ value, label }))}
          value={form.values.role}
          error={form.errors.role}
          onChange={(event) => form.set('role', event.target.value === 'ADMIN' ? 'ADMIN' : 'REGULAR')}
        />
        <Button type="submit" tone="primary">
          Save
        </Button>
        <Button onClick={onClose}>Close</Button>
      </form>
    </td>
  );
}
