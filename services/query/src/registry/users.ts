import type { OrganizationEntity, UserEntity } from '@sentinel-node/contracts';
import { refuse, UNCHANGED, type Decision } from './decision.ts';
import { emailKey } from './names.ts';

export type Activation = NonNullable<UserEntity['activation']>;

interface UserUpdate {
  readonly userId: string;
  readonly fields: Pick<UserEntity, 'name' | 'emailAddress' | 'role'>;
  readonly activation: Activation;
}

export function updateUser(
  organization: OrganizationEntity,
  { userId, fields, activation }: UserUpdate,
): Decision<OrganizationEntity> {
  const user = organization.users.find(({ id }) => id === userId);
  if (user === undefined) return refuse('NOT_FOUND');
  const { name, emailAddress, role } = fields;
  if (user.name === name && user.emailAddress === emailAddress && user.role === role) return UNCHANGED;
  const users = organization.users.map((other): UserEntity => {
    if (other.id !== userId) return other;
    return { ...other, ...fields, ...invitation(user, emailAddress, activation) };
  });
  return withAdmin({ ...organization, users });
}

/**
 * Replaces the link and unbinds the wallet of an invited user whose address changes: the wrong address must
 * not keep access.
 */
function invitation(user: UserEntity, emailAddress: string, activation: Activation): Partial<UserEntity> {
  const moved = !user.active && emailKey(user.emailAddress) !== emailKey(emailAddress);
  return moved ? { activation, walletUserId: null } : {};
}

export function deleteUser(organization: OrganizationEntity, userId: string): Decision<OrganizationEntity> {
  const removedUsers = organization.users.filter(({ id }) => id === userId);
  if (removedUsers.length === 0) return refuse('NOT_FOUND');
  const users = organization.users.filter(({ id }) => id !== userId);
  return withAdmin({ ...organization, users, removedUsers });
}

/** Refuses a change that leaves no active ADMIN: an invited one cannot act before the link is confirmed. */
function withAdmin(entity: OrganizationEntity): Decision<OrganizationEntity> {
  if (!entity.users.some(({ active, role }) => active && role === 'ADMIN')) return refuse('LAST_ADMIN');
  return { kind: 'changed', entity, events: [], policies: [] };
}
