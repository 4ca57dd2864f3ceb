/** Commands on an organisation and its users. The callers check permissions first. */
import {
  organizationStream,
  type CreateUser,
  type OrganizationEntity,
  type UpdateUser,
} from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import { newUuid } from '../commands/new-uuid.ts';
import { type Ran, run } from '../commands/run.ts';
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

export function commandOrganization(
  context: QueryContext,
  orgId: string,
  by: Actor | null,
  command: OrganizationCommand,
  precondition?: Precondition<OrganizationEntity>,
): Promise<Ran<OrganizationEntity>> {
  return run<OrganizationEntity>(context, {
    stream: organizationStream(orgId),
    orgId,
    by,
    precondition,
    decide: (entity, stamp) => decideOrganization(command, entity, stamp),
  });
}

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
  const user = organization?.users.find(({ id }) => id === userId);
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
  const user = organization?.users.find(({ id }) => id === owner.userId);
  if (user === undefined || user.walletUserId !== null) return;
  // The reservation of a change that failed stays for a while.
  if (emailKey(user.emailAddress) !== emailKey(email)) return;
  const wallet = reservationOf.wallet(walletUserId);
  if (!(await reservations.take(wallet, owner, holdsWallet(context, walletUserId)))) return;
  const command = { type: 'BIND', userId: user.id, email, walletUserId } as const;
  await commandOrganization(context, owner.orgId, { userId: user.id, email }, command);
}

/** @throws ApiError USER_EXISTS, LIMIT_REACHED */
export async function addUser(
  context: QueryContext,
  orgId: string,
  by: Actor,
  { name, email, type: role }: CreateUser,
): Promise<{ readonly id: string }> {
  const owner = { orgId, userId: newUuid(context) };
  const fresh = newActivation(context);
  const reserved = await reserveEmail(context, email, owner);
  try {
    const organizationName = (await organizationOf(context, orgId))?.name ?? '';
    await prepareActivation(context, fresh, { ...owner, to: email, name, organizationName });
    const user = { id: owner.userId, name, email, role };
    await commandOrganization(context, orgId, by, { type: 'ADD_USER', user, activation: fresh.activation });
  } catch (error) {
    await releaseUnheld(context, [reserved], error);
    throw error;
  }
  context.mail.wake();
  return { id: owner.userId };
}

/** @throws ApiError NOT_FOUND, USER_EXISTS, LAST_ADMIN, STALE */
export async function changeUser(
  context: QueryContext,
  orgId: string,
  by: Actor,
  userId: string,
  fields: UpdateUser,
  precondition?: Precondition<OrganizationEntity>,
): Promise<void> {
  const organization = await organizationOf(context, orgId);
  const before = organization?.users.find(({ id }) => id === userId);
  if (organization === undefined || before === undefined) throw new ApiError('NOT_FOUND');
  const fresh = newActivation(context);
  const apply = async (): Promise<void> => {
    const command = { type: 'UPDATE_USER', userId, fields, activation: fresh.activation } as const;
    await commandOrganization(context, orgId, by, command, precondition);
  };
  const [from, to] = [emailKey(before.emailAddress), emailKey(fields.emailAddress)];
  if (from === to) return apply();
  const owner = { orgId, userId };
  // When the change fails, the reservation stays: another change of the user may be about to commit the same address.
  await reserveEmail(context, fields.emailAddress, owner);
  const mail = { to: fields.emailAddress, name: fields.name, organizationName: organization.name };
  if (!before.active) await prepareActivation(context, fresh, { ...owner, ...mail });
  await apply();
  await afterChange(async () => {
    await context.reservations.release(reservationOf.email(from), owner);
    if (!before.active && before.walletUserId !== null)
      await context.reservations.release(reservationOf.wallet(before.walletUserId), owner);
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

/** @throws ApiError NOT_FOUND, LAST_ADMIN, STALE */
export async function removeUser(
  context: QueryContext,
  orgId: string,
  by: Actor,
  userId: string,
  precondition?: Precondition<OrganizationEntity>,
): Promise<void> {
  const command = { type: 'DELETE_USER', userId } as const;
  const { entity } = await commandOrganization(context, orgId, by, command, precondition);
  const owner = { orgId, userId };
  await afterChange(async () => {
    for (const { emailAddress, walletUserId } of entity.removedUsers) {
      await context.reservations.release(reservationOf.email(emailKey(emailAddress)), owner);
      if (walletUserId !== null)
        await context.reservations.release(reservationOf.wallet(walletUserId), owner);
    }
  });
}

/** @throws ApiError NOT_FOUND, USER_ACTIVE */
export async function resendActivation(
  context: QueryContext,
  orgId: string,
  by: Actor,
  userId: string,
): Promise<void> {
  const organization = await organizationOf(context, orgId);
  const user = organization?.users.find(({ id }) => id === userId);
  if (organization === undefined || user === undefined) throw new ApiError('NOT_FOUND');
  if (user.active) throw new ApiError('USER_ACTIVE');
  const fresh = newActivation(context);
  const mail = { to: user.emailAddress, name: user.name, organizationName: organization.name };
  await prepareActivation(context, fresh, { orgId, userId, ...mail });
  await commandOrganization(context, orgId, by, { type: 'RESEND', userId, activation: fresh.activation });
  context.mail.wake();
}
