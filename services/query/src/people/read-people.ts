import { LIMITS, type Organization, type User, type Users } from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { organizationTag, userTag } from '../registry/tags.ts';
import { type OrganizationView, type Tagged, type UserView, type Viewer, VIEWS } from '../views/index.ts';

/** @throws ApiError NOT_FOUND */
export async function readOrganization(
  { store, sentinelAddress }: Pick<QueryContext, 'store' | 'sentinelAddress'>,
  orgId: string,
  viewer: Viewer,
): Promise<Tagged<Organization>> {
  const body = shownOrganization(await organizationView(store, orgId), sentinelAddress, viewer);
  return { body, tag: organizationTag(body) };
}

async function organizationView(store: DocumentStore, orgId: string): Promise<OrganizationView> {
  const view = await store.get(VIEWS.organizations, orgId);
  if (view === undefined) throw new ApiError('NOT_FOUND');
  return view;
}

export function shownOrganization(
  { id, name, stripeId }: OrganizationView,
  sentinelAddress: string,
  viewer: Viewer,
): Organization {
  return { id, name, sentinelAddress, ...(viewer.role === 'ADMIN' ? { stripeId } : {}) };
}

/** Returns all users to an ADMIN, and a REGULAR user only the user itself. Oldest first. @throws ApiError NOT_FOUND */
export async function readUsers(
  { store }: Pick<QueryContext, 'store'>,
  orgId: string,
  viewer: Viewer,
): Promise<Users> {
  const { name, stripeId } = await organizationView(store, orgId);
  const users = (await usersOf(store, orgId)).filter((user) => mayRead(user, viewer)).map(shownUser);
  return { users, orgName: name, ...(viewer.role === 'ADMIN' ? { stripeId } : {}) };
}

async function usersOf(store: DocumentStore, orgId: string): Promise<UserView[]> {
  const found = await store.find(VIEWS.users, {
    where: { orgId, deleted: false },
    limit: LIMITS.usersPerOrganization,
  });
  return found;
}

export const mayRead = ({ id }: Pick<UserView, 'id'>, viewer: Viewer): boolean =>
  viewer.role === 'ADMIN' || viewer.userId === id;

/** @throws ApiError NOT_FOUND, also when a REGULAR user asks for another user */
export async function readUser(
  { store }: Pick<QueryContext, 'store'>,
  orgId: string,
  id: string,
  viewer: Viewer,
): Promise<Tagged<User>> {
  const user = await store.get(VIEWS.users, id);
  if (user?.orgId !== orgId || user.deleted || !mayRead(user, viewer)) throw new ApiError('NOT_FOUND');
  return { body: shownUser(user), tag: userTag(user) };
}

export function shownUser({ id, name, emailAddress, role, orgId, active }: UserView): User {
  return { id, name, emailAddress, role, orgId, active };
}

export interface DeviceUsers {
  readonly users: readonly Pick<User, 'id' | 'name' | 'emailAddress'>[];
}

/** Returns the person who disabled the device, and the ADMINs. @throws ApiError NOT_FOUND */
export async function readDeviceUsers(
  { store }: Pick<QueryContext, 'store'>,
  orgId: string,
  deviceId: string,
): Promise<DeviceUsers> {
  const device = await store.get(VIEWS.devices, deviceId);
  if (device?.orgId !== orgId) throw new ApiError('NOT_FOUND');
  const disabledBy = device.disabledBy?.toLowerCase();
  const users = (await usersOf(store, orgId)).filter(
    ({ role, emailAddress }) => role === 'ADMIN' || emailAddress.toLowerCase() === disabledBy,
  );
  return { users: users.map(({ id, name, emailAddress }) => ({ id, name, emailAddress })) };
}
