import { admin, EXAMPLE, organization, user } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const oneUser = { id: EXAMPLE.userId };

export const peopleOperations: Operations = {
  'POST /orgs': {
    summary: 'Founds an organization',
    description:
      'The founder becomes its first ADMIN once the link in the mail is opened. Again by the same person before that: a new link, the same id.',
    body: {
      name: 'Example works',
      userName: 'Carl Example',
      e2Id: EXAMPLE.userId,
      emailAddress: 'carl@example.org',
    },
    answer: { id: EXAMPLE.orgId },
    refuses: ['ORGANIZATION_ALREADY_EXISTS', 'USER_EXISTS'],
  },
  'GET /orgs/:orgId': {
    summary: 'Reads the organization',
    description: '`stripeId` is shown to an ADMIN only.',
    answer: organization,
    etag: true,
  },
  'PUT /orgs/:orgId': {
    summary: 'Sets the payment-provider id',
    body: { stripeId: EXAMPLE.stripeId },
    answer: organization,
    etag: true,
    ifMatch: true,
  },
  'GET /users/:orgId': {
    summary: 'Lists the users',
    description: 'A REGULAR user sees only itself, and no `stripeId`.',
    answer: { users: [admin, user], orgName: organization.name, stripeId: EXAMPLE.stripeId },
  },
  'POST /users/:orgId': {
    summary: 'Invites a user by mail',
    body: { name: 'Dora Example', email: 'dora@example.org', type: 'REGULAR', orgId: EXAMPLE.orgId },
    answer: { id: EXAMPLE.userId },
    refuses: ['USER_EXISTS', 'LIMIT_REACHED'],
  },
  'GET /users/:orgId/:id': { summary: 'Reads a user', params: oneUser, answer: user, etag: true },
  'PUT /users/:orgId/:id': {
    summary: 'Changes a user',
    params: oneUser,
    body: { name: 'Bob B. Example', emailAddress: user.emailAddress, role: 'REGULAR' },
    answer: { ...user, name: 'Bob B. Example' },
    refuses: ['USER_EXISTS', 'LAST_ADMIN'],
    etag: true,
    ifMatch: true,
  },
  'DELETE /users/:orgId/:id': {
    summary: 'Deletes a user and ends its sessions',
    params: oneUser,
    answer: {},
    refuses: ['LAST_ADMIN'],
    ifMatch: true,
  },
  'GET /users/:orgId/device/:deviceId': {
    summary: 'Lists the people to ask about a device: the user who disabled the device, and the ADMINs',
    answer: { users: [{ id: admin.id, name: admin.name, emailAddress: admin.emailAddress }] },
  },
  'POST /users/resend/activationlink/:orgId/:id': {
    summary: 'Sends a new activation link; the older one ends',
    params: oneUser,
    answer: {},
    refuses: ['USER_ACTIVE'],
  },
  'PUT /users/confirm/link/:activateId': {
    summary: 'Confirms an activation link',
    description: 'A link works once, for 7 days. A wrong, used or expired one is 404.',
    answer: 'OK',
  },
};
