import { type Readable, visible } from '@sentinel-node/contracts';
import type { Role } from '@sentinel-node/contracts';
import type { User } from '../answers.ts';
import { useState } from 'react';
import { failedChange } from '../errors.ts';
import { roleWord, wordFor } from '../format.ts';
import { api } from '../state/api.ts';
import { keptForm } from '../state/kept-forms.ts';
import { notify } from '../state/notices.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { Badge } from '../ui/Badge.tsx';
import { rowsOnPage } from '../ui/held-row.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';
import { EmptyState } from '../ui/States.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { EditUserRow, userForm } from './EditUserRow.tsx';

interface UsersTableProps {
  orgId: string;
  /** All users, in their order. */
  users: User[];
  /** Returns whether the search finds a user; one who is edited is shown all the same. */
  isFound: (user: User) => boolean;
  me: string;
  isAdmin: boolean;
  onChanged: () => void;
}

const failed = (text: string, error: unknown): void =>
  notify({ tone: 'danger', title: 'Error!', text, reason: failedChange(error).reason });

function resend(orgId: string, user: User): void {
  api()
    .resendActivationLink(orgId, user.id)
    .then(
      () =>
        notify({
          tone: 'success',
          title: 'Request successfully sent!',
          text: 'User will get the email with the activation link.',
        }),
      (error: unknown) => failed('Resend activation link error', error),
    );
}

const columnsFor = (me: string): Column<User>[] => [
  { header: 'Name', cell: (user) => <UserName user={user} me={me} />, className: 'cell-text' },
  { header: 'Email', cell: (user) => user.emailAddress, className: 'cell-text' },
  { header: 'Role', cell: (user) => wordFor(roleWord, user.role) },
  {
    header: 'Status',
    cell: (user) => (
      <Badge tone={user.active ? 'success' : 'neutral'} {...(user.active && { icon: 'check' as const })}>
        {user.active ? 'Active' : 'Invited'}
      </Badge>
    ),
  },
];

export function UsersTable({ orgId, users, isFound, me, isAdmin, onChanged }: UsersTableProps) {
  // Text that was typed before the session ended is shown at once, in its row.
  const [editing, setEditing] = useState(
    () => users.find(({ id }) => isAdmin && keptForm(userForm(id)) !== null)?.id ?? null,
  );
  const [deleting, setDeleting] = useState<User | null>(null);
  const remove = async (user: User): Promise<void> => {
    await api()
      .deleteUser(orgId, user.id)
      .catch((error: unknown) => failed('Delete user error', error));
    setDeleting((asked) => (asked === user ? null : asked));
    onChanged();
  };
  const paging = useUrlPage();
  const edited = users.find(({ id }) => id === editing) ?? null;
  const found = users.filter((user) => user === edited || isFound(user));
  const columns = columnsFor(me);
  if (isAdmin) {
    columns.push({
      header: 'Actions',
      hideHeader: true,
      className: 'cell-actions',
      cell: (user) => (
        <UserMenu
          user={user}
          onResend={() => resend(orgId, user)}
          onEdit={() => setEditing(user.id)}
          onDelete={() => setDeleting(user)}
        />
      ),
    });
  }
  if (found.length === 0) return <EmptyState icon="users" title="No user matches." />;
  return (
    <>
      <Table
        label="Users"
        rows={rowsOnPage(found, edited, paging)}
        columns={columns}
        rowKey={(user) => user.id}
        paged
        {...paging}
        rowInstead={(user) =>
          user.id === editing && (
            <EditUserRow
              orgId={orgId}
              user={user}
              columns={columns.length}
              onSaved={onChanged}
              onClose={() => setEditing(null)}
            />
          )
        }
      />
      {deleting !== null && (
        <ConfirmDialog
          title={`Are you sure you want to delete ${deleting.name} account?`}
          text={`${deleting.name} will no longer have the access to organization data.`}
          tone="danger"
          onYes={() => void remove(deleting)}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  );
}

const isAdminRole = (role: Readable<Role>): boolean => role === 'ADMIN';

function UserName({ user, me }: { user: User; me: string }) {
  return (
    <span className="user-name">
      <strong>{visible(user.id === me ? `${user.name} (you)` : user.name)}</strong>
      {isAdminRole(user.role) && <Icon name="star" size={15} filled label="Admin" />}
    </span>
  );
}

interface UserMenuProps {
  user: User;
  onResend: () => void;
  onEdit: () => void;
  onDelete: () => void;
}

function UserMenu({ user, onResend, onEdit, onDelete }: UserMenuProps) {
  return (
    <Menu
      label={`Actions for ${user.name}`}
      trigger={<Icon name="more" />}
      items={[
        ...(user.active ? [] : [{ label: 'Resend invitation', icon: 'share' as const, run: onResend }]),
        { label: 'Edit', icon: 'edit', run: onEdit },
        { label: 'Delete', icon: 'trash', danger: true, run: onDelete },
      ]}
    />
  );
}
