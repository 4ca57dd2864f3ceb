/**
 * Organisations and their users (sections 3, 4 and 6 and decisions 2 and 3 of the specification). Pure: time and ids
 * come in.
 */
import { LIMITS, type OrganizationEntity, type Role, type UserEntity } from '@sentinel-node/contracts';
import { refuse, UNCHANGED, type Changed, type Decision, type Stamp } from './decision.ts';
import { emailKey } from './names.ts';
import { deleteUser, updateUser, type Activation } from './users.ts';

/** How long an activation link is valid, in milliseconds. */
export const ACTIVATION_MS = 7 * 24 * 3_600_000;

export type { Activation } from './users.ts';

/** The person who founds an organisation. */
export interface Founder {
  readonly id: string;
  readonly name: string;
  readonly emailAddress: string;
  readonly walletUserId: string;
}

export type OrganizationCommand =
  | {
      readonly type: 'FOUND';
      readonly id: string;
      readonly name: string;
      readonly founder: Founder;
      readonly activation: Activation;
    }
  | { readonly type: 'CONFIRM'; readonly userId: string; readonly idHash: string }
  | { readonly type: 'BIND'; readonly userId: string; readonly email: string; readonly walletUserId: string }
  | {
      readonly type: 'ADD_USER';
      readonly user: {
        readonly id: string;
        readonly name: string;
        readonly email: string;
        readonly role: Role;
      };
      readonly activation: Activation;
    }
  | {
      readonly type: 'UPDATE_USER';
      readonly userId: string;
      readonly fields: { readonly name: string; readonly emailAddress: string; readonly role: Role };
      /** Used when the invitation goes to another address. */
      readonly activation: Activation;
    }
  | { readonly type: 'DELETE_USER'; readonly userId: string }
  | { readonly type: 'RESEND'; readonly userId: string; readonly activation: Activation }
  | { readonly type: 'SET_STRIPE_ID'; readonly stripeId: string };

/** Returns whether no user has ever confirmed an activation link. */
export function isUnconfirmed(organization: OrganizationEntity): boolean {
  return !organization.users.some(({ active }) => active);
}

/** Returns whether name and e-mail are free again: nobody has confirmed, and all links have expired. */
export function isAbandoned(organization: OrganizationEntity, now: number): boolean {
  const waiting = organization.users.some(
    ({ activation }) => activation !== null && activation.expiresAt > now,
  );
  return isUnconfirmed(organization) && !waiting;
}

export function decideOrganization(
  command: OrganizationCommand,
  organization: OrganizationEntity | undefined,
  stamp: Stamp,
): Decision<OrganizationEntity> {
  if (command.type === 'FOUND') return found(command, organization, stamp);
  if (organization === undefined) return refuse('NOT_FOUND');
  const present: OrganizationEntity = { ...organization, removedUsers: [] };
  switch (command.type) {
    case 'CONFIRM':
      return confirm(present, command, stamp);
    case 'BIND':
      return bind(present, command);
    case 'ADD_USER':
      return addUser(present, command, stamp);
    case 'UPDATE_USER':
      return updateUser(present, command);
    case 'DELETE_USER':
      return deleteUser(present, command.userId);
    case 'RESEND':
      return resend(present, command);
    case 'SET_STRIPE_ID':
      if (present.stripeId === command.stripeId) return UNCHANGED;
      return changed({ ...present, stripeId: command.stripeId });
  }
}

export const changed = (entity: OrganizationEntity): Changed<OrganizationEntity> => ({
  kind: 'changed',
  entity,
  events: [],
  policies: [],
});

/** Replaces the user of the same id. */
export function withUser(organization: OrganizationEntity, user: UserEntity): OrganizationEntity {
  return { ...organization, users: organization.users.map((other) => (other.id === user.id ? user : other)) };
}

/**
 * Founds an organisation. A repetition before the confirmation gives a new link and may correct names and
 * e-mail.
 */
function found(
  { id, name, founder, activation }: Extract<OrganizationCommand, { type: 'FOUND' }>,
  organization: OrganizationEntity | undefined,
  { at }: Stamp,
): Decision<OrganizationEntity> {
  const first = organization?.users[0];
  const same = first?.walletUserId === founder.walletUserId;
  if (organization !== undefined && !(same && isUnconfirmed(organization)))
    return refuse('ORGANIZATION_ALREADY_EXISTS');
  const user: UserEntity = {
    ...founder,
    id: first?.id ?? founder.id,
    role: 'ADMIN',
    active: false,
    creationDate: first?.creationDate ?? at,
    activation,
  };
  return changed({
    kind: 'ORGANIZATION',
    id,
    name,
    stripeId: null,
    creationDate: organization?.creationDate ?? at,
    users: [user],
    removedUsers: [],
  });
}

function confirm(
  organization: OrganizationEntity,
  { userId, idHash }: Extract<OrganizationCommand, { type: 'CONFIRM' }>,
  { at }: Stamp,
): Decision<OrganizationEntity> {
  const user = organization.users.find(({ id }) => id === userId);
  const valid = user?.activation?.idHash === idHash && user.activation.expiresAt > at;
  if (user === undefined || !valid) return refuse('NOT_FOUND', 'The activation link is not valid.');
  return changed(withUser(organization, { ...user, active: true, activation: null }));
}

/** Binds an invited user to a wallet at the first sign-in. A bound user stays bound to the same wallet. */
function bind(
  organization: OrganizationEntity,
  { userId, email, walletUserId }: Extract<OrganizationCommand, { type: 'BIND' }>,
): Decision<OrganizationEntity> {
  const user = organization.users.find(({ id }) => id === userId);
  if (user === undefined || user.walletUserId !== null || emailKey(user.emailAddress) !== emailKey(email))
    return UNCHANGED;
  return changed(withUser(organization, { ...user, walletUserId }));
}

function addUser(
  organization: OrganizationEntity,
  { user, activation }: Extract<OrganizationCommand, { type: 'ADD_USER' }>,
  { at }: Stamp,
): Decision<OrganizationEntity> {
  if (organization.users.length >= LIMITS.usersPerOrganization)
    return refuse('LIMIT_REACHED', `An organization has at most ${LIMITS.usersPerOrganization} users.`);
  const added: UserEntity = {
    id: user.id,
    name: user.name,
    emailAddress: user.email,
    role: user.role,
    active: false,
    walletUserId: null,
    creationDate: at,
    activation,
  };
  return changed({ ...organization, users: [...organization.users, added] });
}

function resend(
  organization: OrganizationEntity,
  { userId, activation }: Extract<OrganizationCommand, { type: 'RESEND' }>,
): Decision<OrganizationEntity> {
  const user = organization.users.find(({ id }) => id === userId);
  if (user === undefined) return refuse('NOT_FOUND');
  if (user.active) return refuse('USER_ACTIVE');
  return changed(withUser(organization, { ...user, activation }));
}
