/** Returns whether the streams confirm the owner of a reservation. An abandoned organisation owns nothing. */
import { organizationStream, type OrganizationEntity, type UserEntity } from '@sentinel-node/contracts';
import { loadStream, type Clock, type DocumentStore } from '@sentinel-node/platform';
import { emailKey, organizationNameKey } from '../registry/names.ts';
import { isAbandoned } from '../registry/organization.ts';
import type { Owner } from '../storage/reservations.ts';

interface Streams {
  readonly store: DocumentStore;
  readonly clock: Clock;
}

export async function organizationOf(
  { store }: Pick<Streams, 'store'>,
  orgId: string,
): Promise<OrganizationEntity | undefined> {
  return (await loadStream<OrganizationEntity>(store, organizationStream(orgId)))?.entity;
}

export const holdsName =
  (streams: Streams, nameKey: string) =>
  async ({ orgId }: Owner): Promise<boolean> => {
    const organization = await living(streams, orgId);
    return organization !== undefined && organizationNameKey(organization.name) === nameKey;
  };

export const holdsEmail = (streams: Streams, key: string) =>
  userHolds(streams, ({ emailAddress }) => emailKey(emailAddress) === key);

export const holdsWallet = (streams: Streams, walletUserId: string) =>
  userHolds(streams, (user) => user.walletUserId === walletUserId);

function userHolds(streams: Streams, has: (user: UserEntity) => boolean) {
  return async ({ orgId, userId }: Owner): Promise<boolean> => {
    const organization = await living(streams, orgId);
    return organization?.users.some((user) => user.id === userId && has(user)) ?? false;
  };
}

async function living(streams: Streams, orgId: string): Promise<OrganizationEntity | undefined> {
  const organization = await organizationOf(streams, orgId);
  return organization === undefined || isAbandoned(organization, streams.clock.now())
    ? undefined
    : organization;
}
