import { UserSchema, type Organization } from '@sentinel-node/contracts';
import type { User, Users } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { useEffect } from 'react';
import { OrganizationCard } from './OrganizationCard.tsx';
import { UsersTable } from './UsersTable.tsx';
import type { FailedChange } from '../errors.ts';
import { roleWord, wordFor } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { leaveForm } from '../state/guard.ts';
import { notify, type NoticeText } from '../state/notices.ts';
import { liveObject } from '../state/live-object.ts';
import { isAdminAtom, userAtom } from '../state/session.ts';
import { useNavigationState } from '../state/use-navigation-state.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';
import { useUrlText } from '../state/use-url-text.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

/** Outcome that the user form passes to this page. */
export interface UserOutcome extends FailedChange {
  added?: string;
}

const noticeOf = ({ error, reason }: UserOutcome): NoticeText =>
  error === true
    ? { tone: 'danger', title: 'Error!', text: 'User was not added, please try again.', reason }
    : {
        tone: 'success',
        title: 'Request successfully sent!',
        text: 'User will get the email with the activation link.',
      };

/** Leaves the user form for this page, which shows the outcome. */
export const leaveUserForm = (isShown: boolean, outcome: UserOutcome): void =>
  leaveForm(isShown, paths.users, outcome, noticeOf(outcome));

function useUserNotice(): void {
  useNavigationState<UserOutcome>((outcome) => {
    if (outcome.error === true || outcome.added !== undefined) notify(noticeOf(outcome));
  });
}

/** @param isAdmin whose list is another one: a regular user sees only themselves */
function useUsers(orgId: string, isAdmin: boolean) {
  const users = useResource<Users>({
    key: `users ${orgId} ${String(isAdmin)}`,
    load: (signal) => api().getUsers(orgId, signal),
    apply: (data, item) => {
      if (item.kind !== 'user') return data;
      const user = liveObject(UserSchema, item);
      if (user === null || !data.users.some((held) => held.id === user.id)) return RELOAD;
      return { ...data, users: data.users.map((held) => (held.id === user.id ? user : held)) };
    },
  });
  // Once an outage, not at each further try.
  const isFailed = users.error !== null;
  useEffect(() => {
    if (isFailed) notify({ tone: 'danger', title: 'Error!', text: 'Get users error' });
  }, [isFailed]);
  return users;
}

/** Returns the texts of a row. */
const shownTexts = (user: User, me: string): string[] => [
  user.id === me ? `${user.name} (you)` : user.name,
  user.emailAddress,
  wordFor(roleWord, user.role),
  user.active ? 'Active' : 'Invited',
];

export function UsersPage({ orgId }: { orgId: string }) {
  const isAdmin = useAtomValue(isAdminAtom);
  const me = useAtomValue(userAtom)?.userId ?? '';
  const { text: search, setText: setSearch } = useUrlText('search');
  useUserNotice();
  const users = useUsers(orgId, isAdmin);
  const organization = useResource<Organization>({
    key: `organization ${orgId}`,
    load: (signal) => api().getOrganization(orgId, signal),
    apply: (data, item) => (item.kind === 'organization' ? RELOAD : data),
  });
  const wanted = search.trim().toLowerCase();
  const isFound = (user: User): boolean =>
    shownTexts(user, me).some((text) => text.toLowerCase().includes(wanted));
  const ordered = users.data?.users.toSorted(
    (a, b) => Number(b.id === me) - Number(a.id === me) || a.name.localeCompare(b.name),
  );
  return (
    <>
      <PageHeader
        title="Users management"
        actions={
          <>
            <ButtonLink to={paths.notifications}>Notifications</ButtonLink>
            {isAdmin && (
              <>
                <ButtonLink to={paths.webhooks}>Webhooks</ButtonLink>
                <ButtonLink to={paths.serviceTokens}>Service tokens</ButtonLink>
                <ButtonLink to={paths.defineUser} tone="primary" icon="plus">
                  Add user
                </ButtonLink>
              </>
            )}
          </>
        }
      />
      <OrganizationCard orgId={orgId} organization={organization} isAdmin={isAdmin} />
      <section className="card card-flush" aria-labelledby="users-title">
        <header className="toolbar">
          <h2 id="users-title" className="grow">
            Users
          </h2>
          <SearchInput label="Search users" placeholder="Search users" value={search} onChange={setSearch} />
        </header>
        {users.loading && <Skeleton lines={5} label="Loading users" />}
        {users.data === undefined && users.error !== null && (
          <ErrorState title="Users cannot be shown" message="Get users error" onRetry={users.reload} />
        )}
        {ordered !== undefined && (
          <UsersTable users={ordered} onChanged={users.reload} {...{ orgId, isFound, me, isAdmin }} />
        )}
      </section>
    </>
  );
}
