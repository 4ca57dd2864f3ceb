import {
  organizationStream,
  type CreateOrganization,
  type OrganizationEntity,
} from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import { newUuid } from '../commands/new-uuid.ts';
import { run } from '../commands/run.ts';
import type { QueryContext } from '../context.ts';
import { emailKey, organizationNameKey } from '../registry/names.ts';
import { decideOrganization, isUnconfirmed } from '../registry/organization.ts';
import { reservationOf } from '../storage/reservations.ts';
import { newActivation, prepareActivation } from './activations.ts';
import { holdsEmail, holdsName, holdsWallet, organizationOf } from './holders.ts';
import { releaseUnheld, type Reserved } from './release-unheld.ts';

/** The signed-in person who founds an organisation. */
export interface FoundingPerson {
  readonly walletUserId: string;
  /** Id of the person in the session: the wallet's, or the service's own. */
  readonly userId: string;
}

/** A reservation to take, and the error when another owner has it. */
interface Wanted extends Reserved {
  readonly taken: () => ApiError;
}

/**
 * Founds an organisation, or sends a new link when the same person's organisation is unconfirmed.
 * @throws ApiError ORGANIZATION_ALREADY_EXISTS, USER_EXISTS, VALIDATION_FAILED
 */
export async function foundOrganization(
  context: QueryContext,
  person: FoundingPerson,
  request: CreateOrganization,
): Promise<{ readonly id: string }> {
  if (request.e2Id !== person.userId && request.e2Id !== person.walletUserId)
    throw new ApiError('VALIDATION_FAILED', {
      errors: [{ path: '/e2Id', message: 'must be the id of the signed-in user' }],
    });
  const earlier = await foundedBefore(context, person.walletUserId);
  const owner = earlier ?? { orgId: newUuid(context), userId: newUuid(context) };
  const wanted = reservationsFor(context, person, request, owner);
  const taken = await takeAll(context, wanted);
  try {
    await commitFoundation(context, person, request, owner);
  } catch (error) {
    if (earlier === undefined) await releaseUnheld(context, taken, error);
    throw error;
  }
  if (earlier !== undefined) await afterChange(() => releaseFormer(context, earlier, taken));
  context.mail.wake();
  return { id: owner.orgId };
}

interface Founded {
  readonly orgId: string;
  readonly userId: string;
  readonly organization?: OrganizationEntity;
}

/** @throws ApiError USER_EXISTS when the person belongs to a confirmed organisation */
async function foundedBefore(context: QueryContext, walletUserId: string): Promise<Founded | undefined> {
  const owner = await context.reservations.owner(reservationOf.wallet(walletUserId));
  if (owner?.userId === undefined || owner.userId === null) return undefined;
  const organization = await organizationOf(context, owner.orgId);
  const user = organization?.users.find(({ id }) => id === owner.userId);
  if (organization === undefined || user?.walletUserId !== walletUserId) return undefined;
  if (!isUnconfirmed(organization)) throw new ApiError('USER_EXISTS');
  return { orgId: organization.id, userId: user.id, organization };
}

function reservationsFor(
  context: QueryContext,
  { walletUserId }: FoundingPerson,
  { name, emailAddress }: CreateOrganization,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
): Wanted[] {
  const [nameKey, email] = [organizationNameKey(name), emailKey(emailAddress)];
  const user = { orgId, userId };
  const userExists = (): ApiError => new ApiError('USER_EXISTS');
  return [
    {
      id: reservationOf.organizationName(nameKey),
      owner: { orgId, userId: null },
      isHeld: holdsName(context, nameKey),
      taken: () =>
        new ApiError('ORGANIZATION_ALREADY_EXISTS', {
          detail: `An organization named ${name} exists already.`,
        }),
    },
    { id: reservationOf.email(email), owner: user, isHeld: holdsEmail(context, email), taken: userExists },
    {
      id: reservationOf.wallet(walletUserId),
      owner: user,
      isHeld: holdsWallet(context, walletUserId),
      taken: userExists,
    },
  ];
}

/** Takes all reservations or none. */
async function takeAll(context: QueryContext, wanted: readonly Wanted[]): Promise<readonly Wanted[]> {
  const taken: Wanted[] = [];
  for (const one of wanted) {
    const before = await context.reservations.owner(one.id);
    if (!(await context.reservations.take(one.id, one.owner, one.isHeld))) {
      await releaseAll(context, taken);
      throw one.taken();
    }
    // A reservation that the owner had before stays when the command fails.
    if (before?.orgId !== one.owner.orgId) taken.push(one);
  }
  return wanted;
}

async function releaseAll({ reservations }: QueryContext, taken: readonly Wanted[]): Promise<void> {
  for (const { id, owner } of taken) await reservations.release(id, owner);
}

async function commitFoundation(
  context: QueryContext,
  { walletUserId }: FoundingPerson,
  { name, userName, emailAddress }: CreateOrganization,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
): Promise<void> {
  const fresh = newActivation(context);
  const to = emailAddress;
  await prepareActivation(context, fresh, { orgId, userId, to, name: userName, organizationName: name });
  const founder = { id: userId, name: userName, emailAddress, walletUserId };
  const command = { type: 'FOUND', id: orgId, name, founder, activation: fresh.activation } as const;
  await run<OrganizationEntity>(context, {
    stream: organizationStream(orgId),
    orgId,
    by: { userId, email: emailAddress },
    decide: (entity, stamp) => decideOrganization(command, entity, stamp),
  });
}

/** Releases the earlier name and e-mail of the same foundation, unless they are unchanged. */
async function releaseFormer(
  { reservations }: QueryContext,
  { orgId, userId, organization }: Founded,
  kept: readonly Wanted[],
): Promise<void> {
  if (organization === undefined) return;
  const names = [reservationOf.organizationName(organizationNameKey(organization.name))];
  const emails = organization.users.map((user) => reservationOf.email(emailKey(user.emailAddress)));
  const isKept = (id: string): boolean => kept.some((one) => one.id === id);
  for (const id of names) if (!isKept(id)) await reservations.release(id, { orgId, userId: null });
  for (const id of emails) if (!isKept(id)) await reservations.release(id, { orgId, userId });
}
