import { admin, EXAMPLE, organization, user } from '../examples.ts';
import type { Operations } from '../operation.ts';

const session = {
  success: true,
  name: admin.name,
  email: admin.emailAddress,
  userRole: 'ADMIN',
  orgId: EXAMPLE.orgId,
  userId: EXAMPLE.adminId,
};
const oneUser = { id: EXAMPLE.userId };

export const peopleOperations: Operations = {
  'GET /login': {
    summary: 'Exchanges an access token of the wallet for a session',
    description:
      'Asked every 2 seconds until `success` is true. The first success is repeated for 30 seconds; the answer also sets the cookie `XSRF-TOKEN`.',
    query: { access_token: EXAMPLE.accessToken },
    answer: { ...session, token: 'eyJhbGciOiJIUzI1NiIsImtpZCI6IjEifQ.eyJqdGkiOiI3In0.c2lnbmF0dXJl' },
  },
  'POST /e2walletlogin': {
    summary: 'Takes the statement of the wallet that somebody signed in',
    description:
      '`signature` is ECDSA over secp256k1 (DER, hex) of the SHA-256 of the other fields as canonical JSON (RFC 8785). A statement is taken once, within 5 minutes.',
    body: {
      accessToken: EXAMPLE.accessToken,
      userId: '7d9f2c1e-0b5a-4c3d-8e6f-1a2b3c4d5e6f',
      email: admin.emailAddress,
      name: admin.name,
      issuedAt: '2026-11-21T10:00:00.000Z',
      audience: 'http://localhost:8443/api/v1/e2walletlogin',
      signature: '3045022100d1f3',
    },
    refuses: ['INVALID_CREDENTIALS'],
  },
  'GET /session': { summary: 'Who is signed in, from current state', answer: session },
  'POST /logout': {
    summary: 'Ends the session everywhere at once',
    description: 'The token is refused from now on, and its live streams end.',
  },
  'POST /orgs': {
    summary: 'Founds an organisation',
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
    summary: 'Reads the organisation',
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
    summary: 'Whom to ask about a device: who disabled it, and the ADMINs',
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
