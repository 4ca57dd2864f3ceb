import type { Caller } from '@sentinel-node/platform';
import { organizationOf } from '../commands/holders.ts';
import { reservationOf, type Reservations } from '../commands/reservations.ts';
import type { DocumentStore } from '@sentinel-node/platform';
import type { Session } from './sessions.ts';

/** Who a session's person is now. Not active yet, or bound to nobody: without an organisation. */
export async function callerOf(
  { store, reservations }: { readonly store: DocumentStore; readonly reservations: Reservations },
  { walletUserId, email, name }: Pick<Session, 'walletUserId' | 'email' | 'name'>,
): Promise<Caller> {
  const owner = await reservations.owner(reservationOf.wallet(walletUserId));
  const organization = owner === undefined ? undefined : await organizationOf({ store }, owner.orgId);
  const user = organization?.users.find(({ id }) => id === owner?.userId);
  if (organization === undefined || user?.walletUserId !== walletUserId)
    return { userId: walletUserId, email, name, orgId: null, role: null };
  const known = { userId: user.id, email: user.emailAddress, name: user.name };
  return user.active
    ? { ...known, orgId: organization.id, role: user.role }
    : { ...known, orgId: null, role: null };
}
