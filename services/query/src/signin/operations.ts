import { admin, EXAMPLE } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const session = {
  success: true,
  name: admin.name,
  email: admin.emailAddress,
  userRole: 'ADMIN',
  orgId: EXAMPLE.orgId,
  userId: EXAMPLE.adminId,
};

export const signInOperations: Operations = {
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
};
