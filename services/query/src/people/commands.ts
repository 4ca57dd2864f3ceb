/** Commands on an organisation and its users. The callers check permissions first. */
import {
  organizationStream,
  type CreateUser,
  type OrganizationEntity,
  type UpdateUser,
  type UserEntity,
} from '@sentinel-node/contracts';
import { ApiError, type Caller } from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import { newUuid } from '../commands/new-uuid.ts';
import { type Command, type Ran, run } from '../commands/run.ts';
import type { QueryContext } from '../context.ts';
import type { Actor } from '../registry/decision.ts';
import { emailKey } from '../registry/names.ts';
import { decideOrganization, type OrganizationCommand } from '../registry/organization.ts';
import type { Precondition } from '../registry/tags.ts';
import { type Owner, reservationOf } from '../storage/reservations.ts';
import { hashOf } from '../storage/secret-tokens.ts';
import {
  activationOf,
  ACTIVATIONS_COLLECTION,
  markUsed,
  newActivation,
  prepareActivation,
} from './activations.ts';
import { holdsEmail, holdsWallet, organizationOf } from './holders.ts';
import { releaseUnheld, type Reserved } from './release-unheld.ts';

function commandOrganization(
  context: QueryContext,
  orgId: string,
  by: Actor | null,
  command: OrganizationCommand,
  conditions: Pick<Command<OrganizationEntity>, 'check' | 'precondition'> = {},
): Promise<Ran<OrganizationEntity>> {
  return run<OrganizationEntity>(context, {
    stream: organizationStream(orgId),
    orgId,
    by,
    ...conditions,
    decide: (entity, stamp) => decideOrganization(command, entity, stamp),
  });
}

/** A person or a program that calls as an ADMIN. */
export type Administrator = Actor & Pick<Caller, 'serviceToken'>;

/** What has to hold at the commit. */
interface CommitConditions {
  readonly precondition?: Precondition<OrganizationEntity> | undefined;
  /** Throws the refusal. */
  readonly check?: (organization: OrganizationEntity) => void;
}

/** @throws ApiError FORBIDDEN when the person is no ADMIN any more: two could demote each other at once otherwise; the refusal of `confirm` */
export function commandAsAdministrator(
  context: QueryContext,
  orgId: string,
  { userId, email, confirm, serviceToken }: Administrator,
  command: OrganizationCommand,
  { precondition, check }: CommitConditions = {},
): Promise<Ran<OrganizationEntity>> {
  const checkAll = async (organization: OrganizationEntity | undefined): Promise<void> => {
    if (organization === undefined) return;
    // A program is no user.
    if (serviceToken === undefined && !isAdministrator(userOf(organization, userId)))
      throw new ApiError('FORBIDDEN');
    await confirm?.();
    check?.(organization);
  };
  return commandOrganization(context, orgId, { userId, email }, command, { check: checkAll, precondition });
}

const userOf = (organization: OrganizationEntity | undefined, userId: string): UserEntity | undefined =>
  organization?.users.find(({ id }) => id === userId);

const isAdministrator = (user: UserEntity | undefined): boolean =>
  user?.active === true && user.role === 'ADMIN';

/**
 * Activates the user of a link, and ends the link. The same call again finishes one that failed after the user was activated.
 * @throws ApiError NOT_FOUND for a wrong, used or expired link
 */
export async function confirmActivation(context: QueryContext, activationId: string): Promise<void> {
  const idHash = hashOf(activationId);
  const activation = await activationOf(context, idHash);
  if (activation === undefined) throw new ApiError('NOT_FOUND');
  const { orgId, userId } = activation;
  const organization = await organizationOf(context, orgId);
  const user = userOf(organization, userId);
  if (!(activation.isUsed === true && user?.active === true)) {
    if (user?.activation?.idHash === idHash) await markUsed(context, activation);
    await commandOrganization(context, orgId, null, { type: 'CONFIRM', userId, idHash });
  }
  await afterChange(() => context.store.remove(ACTIVATIONS_COLLECTION.name, [idHash]));
}

/**
 * The first sign-in of an invited person binds the wallet's id to the invited e-mail; later sign-ins change nothing.
 */
export async function bindPerson(
  context: QueryContext,
  { walletUserId, email }: { readonly walletUserId: string; readonly email: string },
): Promise<void> {
  const { reservations } = context;
  const owner = await reservations.owner(reservationOf.email(emailKey(email)));
  if (owner?.userId === undefined || owner.userId === null) return;
  const organization = await organizationOf(context, owner.orgId);
  const user = userOf(organization, owner.userId);
  if (user === undefined || user.walletUserId !== null) return;
  // The reservation of a change that failed stays for a while.
  if (emailKey(user.emailAddress) !== emailKey(email)) return;
  const wallet = reservationOf.wallet(walletUserId);
  if (!(await reservations.take(wallet, owner, holdsWallet(context, walletUserId)))) return;
  const command = { type: 'BIND', userId: user.id, email, walletUserId } as const;
  await commandOrganization(context, owner.orgId, { userId: user.id, email }, command);
}

/** @throws ApiError FORBIDDEN, USER_EXISTS, LIMIT_REACHED */
export async function addUser(
  context: QueryContext,
  orgId: string,
  by: Administrator,
  { name, email, type: role }: CreateUser,
): Promise<{ readonly id: string }> {
  const owner = { orgId, userId: newUuid(context) };
  const fresh = newActivation(context);
  const reserved = await reserveEmail(context, email, owner);
  try {
    const organizationName = (await organizationOf(context, orgId))?.name ?? '';
    await prepareActivation(context, fresh, { ...owner, to: email, name, organizationName });
    const user = { id: owner.userId, name, email, role };
    const command = { type: 'ADD_USER', user, activation: fresh.activation } as const;
    await commandAsAdministrator(context, orgId, by, command);
  } catch (error) {
    await releaseUnheld(context, [reserved], error);
    throw error;
  }
  context.mail.wake();
  return { id: owner.userId };
}

/**
 * @throws ApiError FORBIDDEN, NOT_FOUND, USER_EXISTS, LAST_ADMIN, STALE; CONFLICT when the user was changed, or confirmed,
 * meanwhile: reservations and mail are for the user as read here
 */
export async function changeUser(
  context: QueryContext,
  orgId: string,
  by: Administrator,
  userId: string,
  fields: UpdateUser,
  precondition?: Precondition<OrganizationEntity>,
): Promise<void> {
  const organization = await organizationOf(context, orgId);
  const before = userOf(organization, userId);
  if (organization === undefined || before === undefined) throw new ApiError('NOT_FOUND');
  const fresh = newActivation(context);
  const [from, to] = [emailKey(before.emailAddress), emailKey(fields.emailAddress)];
  const isAsRead = ({ emailAddress, active, walletUserId }: UserEntity): boolean =>
    emailKey(emailAddress) === from &&
    (from === to || (active === before.active && walletUserId === before.walletUserId));
  const check = (now: OrganizationEntity): void => {
    const user = userOf(now, userId);
    if (user !== undefined && !isAsRead(user)) throw new ApiError('CONFLICT');
  };
  const apply = async (): Promise<void> => {
    const command = { type: 'UPDATE_USER', userId, fields, activation: fresh.activation } as const;
    await commandAsAdministrator(context, orgId, by, command, { precondition, check });
  };
  if (from === to) return apply();
  const owner = { orgId, userId };
  // When the change fails, the reservation stays: another change of the user may be about to commit the same address.
  await reserveEmail(context, fields.emailAddress, owner);
  const mail = { to: fields.emailAddress, name: fields.name, organizationName: organization.name };
  if (!before.active) await prepareActivation(context, fresh, { ...owner, ...mail });
  const unbound = before.active ? null : before.walletUserId;
  const given = [reservationOf.email(from), ...(unbound === null ? [] : [reservationOf.wallet(unbound)])];
  const releasers = await Promise.all(given.map((id) => context.reservations.releaser(id, owner)));
  await apply();
  await afterChange(async () => {
    for (const release of releasers) await release();
  });
  context.mail.wake();
}

/** @throws ApiError USER_EXISTS when another owner has the e-mail */
async function reserveEmail(context: QueryContext, email: string, owner: Owner): Promise<Reserved> {
  const key = emailKey(email);
  const reserved = { id: reservationOf.email(key), owner, isHeld: holdsEmail(context, key) };
  if (!(await context.reservations.take(reserved.id, owner, reserved.isHeld)))
    throw new ApiError('USER_EXISTS');
  return reserved;
}

/** @throws ApiError FORBIDDEN, NOT_FOUND, LAST_ADMIN, STALE */
export async function removeUser(
  context: QueryContext,
  orgId: string,
  by: Administrator,
  userId: string,
  precondition?: Precondition<OrganizationEntity>,
): Promise<void> {
  const command = { type: 'DELETE_USER', userId } as const;
  const { entity } = await commandAsAdministrator(context, orgId, by, command, { precondition });
  const owner = { orgId, userId };
  await afterChange(async () => {
    for (const { emailAddress, walletUserId } of entity.removedUsers) {
      await context.reservations.release(reservationOf.email(emailKey(emailAddress)), owner);
      if (walletUserId !== null)
        await context.reservations.release(reservationOf.wallet(walletUserId), owner);
    }
  });
}

/** @throws ApiError FORBIDDEN, NOT_FOUND, USER_ACTIVE */
export async function resendActivation(
  context: QueryContext,
  orgId: string,
  by: Administrator,
  userId: string,
): Promise<void> {
  const organization = await organizationOf(context, orgId);
  const user = userOf(organization, userId);
  if (organization === undefined || user === undefined) throw new ApiError('NOT_FOUND');
  if (user.active) throw new ApiError('USER_ACTIVE');
  const fresh = newActivation(context);
  const mail = { to: user.emailAddress, name: user.name, organizationName: organization.name };
  await prepareActivation(context, fresh, { orgId, userId, ...mail });
  const command = { type: 'RESEND', userId, activation: fresh.activation } as const;
  await commandAsAdministrator(context, orgId, by, command);
  context.mail.wake();
}
