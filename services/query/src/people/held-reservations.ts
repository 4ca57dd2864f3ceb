import type { OrganizationEntity } from '@sentinel-node/contracts';
import { emailKey, organizationNameKey } from '../registry/names.ts';
import { isAbandoned } from '../registry/organization.ts';
import { type Owner, reservationOf } from '../storage/reservations.ts';

/** A reservation that an organisation, or one of its users, holds by its stream. */
export interface HeldReservation {
  readonly id: string;
  readonly owner: Owner;
}

/**
 * Returns the reservations that the organisation and its users hold: none when it is abandoned, as others may take them then.
 * @param now milliseconds since the Unix epoch
 */
export function heldReservations(organization: OrganizationEntity, now: number): HeldReservation[] {
  if (isAbandoned(organization, now)) return [];
  const { id: orgId, name, users } = organization;
  const ofName = {
    id: reservationOf.organizationName(organizationNameKey(name)),
    owner: { orgId, userId: null },
  };
  const ofUsers = users.flatMap(({ emailAddress, id: userId, walletUserId }) => {
    const ids = [reservationOf.email(emailKey(emailAddress))];
    if (walletUserId !== null) ids.push(reservationOf.wallet(walletUserId));
    return ids.map((id) => ({ id, owner: { orgId, userId } }));
  });
  return [ofName, ...ofUsers];
}
