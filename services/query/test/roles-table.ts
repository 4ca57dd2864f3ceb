/** Builds the table of docs/roles.md, which callers may use which route, from the routes that Fastify knows. */
import type { Access } from '@sentinel-node/platform';
import { nameOf } from './openapi-document.ts';
import type { KnownRoute } from './world.ts';

export const CALLERS = ['no token', 'token, no organisation', 'REGULAR', 'ADMIN', 'device API key'] as const;
/** `yes`, the refusing status, `own` for the key's own device only, `–` where the call ignores the caller. */
export type Cell = 'yes' | '401' | '403' | '404' | 'own' | '–';
export type Row = readonly [Cell, Cell, Cell, Cell, Cell];

const ROWS: Readonly<Record<Access, Row>> = {
  public: ['yes', 'yes', 'yes', 'yes', '–'],
  signedIn: ['401', 'yes', 'yes', 'yes', '401'],
  withoutOrganization: ['401', 'yes', '403', '403', '401'],
  member: ['401', '404', 'yes', 'yes', '401'],
  admin: ['401', '404', '403', 'yes', '401'],
  deviceKey: ['401', '401', '401', '401', 'own'],
  deviceKeyOrMember: ['401', '404', 'yes', 'yes', 'own'],
};

/** Returns the table of the API itself; its description and the development parts are public. */
export function rolesTable(routes: readonly KnownRoute[]): Map<string, Row> {
  const ofApi = routes.filter(({ url }) => /^\/api\/v1\/(?!docs|openapi)/.test(url));
  const rows = ofApi.map((route): [string, Row] => [nameOf(route), ROWS[route.access!]]);
  return new Map(rows.sort(([a], [b]) => order(a).localeCompare(order(b))));
}

/** Sorts by path, then by method. */
const order = (name: string): string => name.split(' ').reverse().join(' ');

export function rolesDocument(table: ReadonlyMap<string, Row>): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = [...table].map(([name, row]) => line([`\`${name}\``, ...row]));
  return [
    '# Who may call what',
    '',
    'Made from the routes of the services; a test compares. All paths are below `/api/v1`. Role and organisation are',
    "read from current state on each call. Another organisation's things are 404 to everybody. A number is the status",
    'that refuses. `own`: for the device of the key only. `–`: the call takes no account of it.',
    '',
    'A service token may what its role may, but no call of signing in, and it makes no token; one for reading only may GET.',
    '',
    'A REGULAR user reads only itself in `GET /users/:orgId` and `GET /users/:orgId/:id`, and never a `stripeId`.',
    '',
    line(['call', ...CALLERS]),
    line(['call', ...CALLERS].map(() => '---')),
    ...rows,
    '',
  ].join('\n');
}
