import type { UserEntity } from '@sentinel-node/contracts';
import type { Caller } from '@sentinel-node/platform';
import { type Owner, reservationOf, type Reservations } from '../storage/reservations.ts';
import type { Members } from './members.ts';
import type { Session } from './sessions.ts';

type Identity = Pick<Session, 'walletUserId' | 'email' | 'name'>;

/**
 * Returns the current caller of each session, in order. People who are not active yet, or have no account, get no
 * organisation.
 */
export async function callersOf(
  { members, reservations }: { readonly members: Members; readonly reservations: Reservations },
  sessions: readonly Identity[],
): Promise<Caller[]> {
  const keyOf = ({ walletUserId }: Identity): string => reservationOf.wallet(walletUserId);
  const owners = await reservations.owners(sessions.map(keyOf));
  const orgIds = [...new Set([...owners.values()].map(({ orgId }) => orgId))];
  const organizations = new Map(
    await Promise.all(orgIds.map(async (orgId) => [orgId, await members.get(orgId)] as const)),
  );
  return sessions.map((session) => {
    const owner = owners.get(keyOf(session));
    const users = owner === undefined ? undefined : organizations.get(owner.orgId);
    return callerOf(session, owner, users?.get(owner?.userId ?? ''));
  });
}

function callerOf(
  { walletUserId, email, name }: Identity,
  owner: Owner | undefined,
  user: UserEntity | undefined,
): Caller {
  if (owner === undefined || user?.walletUserId !== walletUserId)
    return { userId: walletUserId, email, name, orgId: null, role: null };
  const known = { userId: user.id, email: user.emailAddress, name: user.name };
  return user.active
    ? { ...known, orgId: owner.orgId, role: user.role }
    : { ...known, orgId: null, role: null };
}
