/** Activation links (decision 3 of the specification): only the mail has the id; the streams hold its SHA-256. */
import { collectionOf, type DocumentStore } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import type { ActivationCondition } from '../mail/condition.ts';
import { type Activation, ACTIVATION_MS } from '../registry/organization.ts';
import { hashOf } from '../storage/secret-tokens.ts';
import { activationMail } from './activation-mail.ts';
import { organizationOf } from './holders.ts';

/** The user of an activation; the id is SHA-256 (hex) of the activation id. */
export const ACTIVATIONS_COLLECTION = {
  name: collectionOf<ActivationDocument>('activations'),
  indexes: [{ fields: ['expiresAt'] }],
} as const;

const ACTIVATION_BYTES = 32;

export interface NewActivation {
  readonly id: string;
  readonly activation: Activation;
}

export interface ActivatedUser {
  readonly orgId: string;
  readonly userId: string;
}

export interface ActivationDocument extends ActivatedUser {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  /** Set before the commit that activates the user by this link: a link that a newer one replaced has no mark. */
  readonly isUsed?: true;
}

export function newActivation({ random, clock }: Pick<QueryContext, 'random' | 'clock'>): NewActivation {
  const id = Buffer.from(random.bytes(ACTIVATION_BYTES)).toString('base64url');
  return { id, activation: { idHash: hashOf(id), expiresAt: clock.now() + ACTIVATION_MS } };
}

/**
 * Call before the commit: stores the link's target and queues the mail. Both have no effect without the commit.
 * @throws ApiError RATE_LIMITED when the organisation used up today's invitations, or the address today's mails
 */
export async function prepareActivation(
  { store, mail, mailLimits, config }: QueryContext,
  { id, activation }: NewActivation,
  user: ActivatedUser & { readonly to: string; readonly name: string; readonly organizationName: string },
): Promise<void> {
  const { orgId, userId, to, name, organizationName } = user;
  const { idHash, expiresAt } = activation;
  await mailLimits.countInvitation(orgId, to);
  await store.insertMissing(ACTIVATIONS_COLLECTION.name, [{ id: idHash, orgId, userId, expiresAt }]);
  const link = `${config.publicUrl}/user/confirm/${id}`;
  const message = activationMail({ to, userName: name, organizationName, link });
  await mail.prepare(orgId, message, { orgId, userId, idHash });
}

export function activationOf(
  { store }: Pick<QueryContext, 'store'>,
  idHash: string,
): Promise<ActivationDocument | undefined> {
  return store.get(ACTIVATIONS_COLLECTION.name, idHash);
}

export function markUsed(
  { store }: Pick<QueryContext, 'store'>,
  activation: ActivationDocument,
): Promise<void> {
  return store.bulkUpsert(ACTIVATIONS_COLLECTION.name, [{ ...activation, rev: 1, isUsed: true }]);
}

/** Returns whether the user has this activation: its commit was made, and no later one took its place. */
export async function isActivationOf(
  store: DocumentStore,
  { orgId, userId, idHash }: ActivationCondition,
): Promise<boolean> {
  const organization = await organizationOf({ store }, orgId);
  return organization?.users.find(({ id }) => id === userId)?.activation?.idHash === idHash;
}
