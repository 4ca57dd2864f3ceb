import type { UserEntity } from '@sentinel-node/contracts';
import type { Caller } from '@sentinel-node/platform';
import { type Owner, reservationOf, type Reservations } from '../storage/reservations.ts';
import type { Members } from './members.ts';
import type { Session } from './sessions.ts';

type Identity = Pick<Session, 'walletUserId' | 'email' | 'name'>;

interface Sources {
  readonly members: Members;
  readonly reservations: Reservations;
}

/**
 * Returns the current caller of each session, in order. People who are not active yet, or have no account, get no
 * organisation.
 */
export async function callersOf(sources: Sources, sessions: readonly Identity[]): Promise<Caller[]> {
  const { members, reservations } = sources;
  // The stream of the organisation decides. Looking where the person was at the last call spares the read of the owner.
  const again = await callersOwnedBy(members, sessions, ({ walletUserId }) =>
    members.lastOwner(walletUserId),
  );
  const unknown = sessions.filter((_, at) => again[at]!.orgId === null);
  if (unknown.length === 0) return again;
  const owners = await reservations.owners(unknown.map(keyOf));
  const found = await callersOwnedBy(members, unknown, (identity) => owners.get(keyOf(identity)));
  unknown.forEach((identity, at) => {
    const owner = owners.get(keyOf(identity));
    if (owner !== undefined && found[at]!.orgId !== null) members.rememberOwner(identity.walletUserId, owner);
  });
  const rest = found.values();
  return again.map((caller) => (caller.orgId === null ? rest.next().value! : caller));
}

async function callersOwnedBy(
  members: Members,
  sessions: readonly Identity[],
  ownerOf: (identity: Identity) => Owner | undefined,
): Promise<Caller[]> {
  const orgIds = new Set(sessions.flatMap((identity) => ownerOf(identity)?.orgId ?? []));
  const organizations = new Map(
    await Promise.all([...orgIds].map(async (orgId) => [orgId, await members.get(orgId)] as const)),
  );
  return sessions.map((identity) => {
    const owner = ownerOf(identity);
    const users = owner === undefined ? undefined : organizations.get(owner.orgId);
    return callerOf(identity, owner, users?.get(owner?.userId ?? ''));
  });
}

const keyOf = ({ walletUserId }: Identity): string => reservationOf.wallet(walletUserId);

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
