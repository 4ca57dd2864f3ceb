import { LIMITS, ROLES, visible } from '@sentinel-node/contracts';
import type { Role, User } from '../answers.ts';
import { useMemo, useState } from 'react';
import { isCode } from '../api/errors.ts';
import { tagOf } from '../api/http.ts';
import { messageOf } from '../errors.ts';
import { isEmail, required } from '../forms/rules.ts';
import { useForm } from '../forms/use-form.ts';
import { roleWord, wordFor } from '../format.ts';
import { api } from '../state/api.ts';
import { isOneOf } from '../narrow.ts';
import { formPlace, keepForm } from '../state/kept-forms.ts';
import { useEdited } from '../state/use-edited.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { useResource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { Select, TextInput } from '../ui/Field.tsx';
import { Notice } from '../ui/Notice.tsx';
import { Skeleton } from '../ui/States.tsx';
import { ChangedMeanwhile } from '../components/ChangedMeanwhile.tsx';

interface EditUserRowProps {
  orgId: string;
  /** The user as the list has it, which may be behind. */
  user: User;
  columns: number;
  /** Called after a save, also when the row is closed. */
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

const valuesOf = ({ name, emailAddress, role }: User): Values => ({
  name,
  emailAddress,
  role,
});

/** Name under which the unsaved values of a user's row are kept. */
export const userForm = (id: string): string => `user ${id}`;

/** Whether nobody has moved the focus on while the user was read. */
const isFocusFree = (): boolean =>
  document.activeElement === document.body || (document.activeElement?.closest('.edit-row') ?? null) !== null;

interface EditorProps {
  orgId: string;
  /** The user as first read. */
  read: User;
  onSaved: () => void;
  onClose: () => void;
}

/** Shows the form of a user, and saves it only over the state that the form began with. */
function Editor({ orgId, read, onSaved, onClose }: EditorProps) {
  const edited = useEdited(read, ({ id }) => api().getUser(orgId, id));
  const { held: user, progress, setProgress, load } = edited;
  const initial = useMemo(() => valuesOf(user), [user]);
  const isShown = useIsShown();
  const [takesFocus] = useState(isFocusFree);
  const form = useForm<Values>(initial, validate, userForm(user.id));
  if (form.base !== initial) form.rebase(initial);
  const save = async (values: Values): Promise<void> => {
    setProgress('busy');
    const place = formPlace();
    const change = { name: values.name.trim(), emailAddress: values.emailAddress.trim(), role: values.role };
    try {
      await api().updateUser(orgId, user.id, change, tagOf(user));
    } catch (error) {
      if (isCode(error, 'STALE') && isShown()) return setProgress('stale');
      // A failed update has no message (section 8 of the specification): the row shows the server's data, and the next
      // edit what was typed.
      keepForm(userForm(user.id), { values, base: initial }, place);
    }
    if (isShown()) onClose();
    onSaved();
  };
  return (
    <>
      <form
        className="inline-form"
        noValidate
        aria-label={visible(`Edit ${read.name}`)}
        onSubmit={form.submit((values) => void save(values))}
      >
        <TextInput
          label="Name"
          autoFocus={takesFocus}
          maxLength={LIMITS.nameCharacters}
          {...form.text('name')}
        />
        <TextInput
          label="Email"
          type="email"
          maxLength={LIMITS.emailCharacters}
          {...form.text('emailAddress')}
        />
        <Select
          label="Role"
          options={[...new Set([...ROLES, initial.role])].map((value) => ({
            value,
            label: wordFor(roleWord, value),
          }))}
          value={form.values.role}
          error={form.errors.role}
          onChange={(event) =>
            form.set('role', isOneOf(ROLES, event.target.value) ? event.target.value : initial.role)
          }
        />
        <Button type="submit" tone="primary" busy={progress === 'busy'}>
          Save
        </Button>
        <Button onClick={onClose}>Close</Button>
      </form>
      {progress === 'stale' && <ChangedMeanwhile what="user" load={load} />}
    </>
  );
}

/** Shows a user's row while it is edited. The user is read first, because the list may be behind. */
export function EditUserRow({ orgId, user, columns, onSaved, onClose }: EditUserRowProps) {
  const { data, error, loading, reload } = useResource<User>({
    key: `edit user ${user.id}`,
    load: (signal) => api().getUser(orgId, user.id, signal),
  });
  return (
    <td colSpan={columns} className="edit-row">
      {loading && (
        <>
          <Skeleton lines={1} label={`Loading ${user.name}`} />
          <Button onClick={onClose}>Close</Button>
        </>
      )}
      {data === undefined && error !== null && (
        <div className="making-failure">
          <Notice
            tone="danger"
            title={`${user.name} cannot be edited.`}
            action={{ label: 'Try again', run: reload }}
          >
            {messageOf(error)}
          </Notice>
          <Button onClick={onClose}>Close</Button>
        </div>
      )}
      {data !== undefined && <Editor orgId={orgId} read={data} onSaved={onSaved} onClose={onClose} />}
    </td>
  );
}
