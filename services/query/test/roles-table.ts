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

/** What a service token that is limited to devices is answered, whose role suffices. */
export function limitedCells(routes: readonly KnownRoute[]): Map<string, string> {
  const cell = ({ access, deviceLimit }: KnownRoute): string => {
    if (access === 'public') return 'yes';
    if (access === 'deviceKey') return '401';
    if (deviceLimit === undefined) return '403';
    return deviceLimit === 'answer' ? 'limited' : 'its devices';
  };
  return new Map(routes.map((route) => [nameOf(route), cell(route)]));
}

export function rolesDocument(table: ReadonlyMap<string, Row>, limited: ReadonlyMap<string, string>): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const columns = ['call', ...CALLERS, 'limited token'];
  const rows = [...table].map(([name, row]) => line([`\`${name}\``, ...row, limited.get(name)!]));
  return [
    '# Who may call what',
    '',
    'Made from the routes of the services; a test compares. All paths are below `/api/v1`. Role and organisation are',
    "read from current state on each call. Another organisation's things are 404 to everybody. A number is the status",
    'that refuses. `own`: for the device of the key only. `–`: the call takes no account of it.',
    '',
    'A service token may do what its role may do, but no call of signing in (`GET /session`, `POST /logout`, `POST /orgs`), and it makes no service token; one for reading only may GET, and gets no API key of a device.',
    'It has no notices of its own: `PUT /notifications/own` and `POST /notifications/test` refuse it with 403.',
    'The last column is of a service token that is limited to devices: `its devices`: the path names one of them, and others',
    'are 404; `limited`: the answer is about its devices alone; 403: the call cannot be limited.',
    '',
    'A REGULAR user reads only itself in `GET /users/:orgId` and `GET /users/:orgId/:id`, and never a `stripeId`. In `PUT /alerts/assign` it takes',
    'alerts that nobody has and gives its own back; the answer of any other alert is 403.',
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...rows,
    '',
  ].join('\n');
}
