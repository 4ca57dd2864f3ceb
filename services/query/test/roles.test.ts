import { readFile, writeFile } from 'node:fs/promises';
import t from 'tap';
import { enrolment } from '../src/openapi/examples.ts';
import type { FileHistory } from './chain-records.ts';
import { CALLERS, rolesDocument, rolesTable, type Cell, type Row } from './roles-table.ts';
import { createScene, type Scene } from './scene.ts';
import { createWorld, NO_LIMITS, type Answer, type World } from './world.ts';

const DOCUMENT = new URL('../../../../docs/roles.md', import.meta.url);

/** By hand, from the table of the decisions. */
const EXPECTED: readonly [Row, readonly string[]][] = [
  [
    ['yes', 'yes', 'yes', 'yes', '–'],
    [
      'GET /login',
      'POST /e2walletlogin',
      'GET /test',
      'PUT /users/confirm/link/:activateId',
      'GET /alerts/link/shared/data/:id',
      'GET /alerts/link/shared/proof/:id',
      'POST /proofs/receipt',
      'POST /enrol',
    ],
  ],
  [
    ['401', 'yes', 'yes', 'yes', '401'],
    ['GET /session', 'POST /logout', 'GET /devices/category/intervals'],
  ],
  [['401', 'yes', '403', '403', '401'], ['POST /orgs']],
  [
    ['401', '404', 'yes', 'yes', '401'],
    [
      'GET /orgs/:orgId',
      'GET /dashboard/:orgId',
      'GET /dashboard/:orgId/devices',
      'GET /devices/:orgId',
      'GET /devices/:orgId/:id',
      'GET /files/:orgId/:deviceId/:fileId',
      'PUT /files/chain/:orgId/:deviceId/:fileId',
      'GET /files/history/:orgId/:deviceId/:fileId',
      'GET /proofs/:orgId/:deviceId/:fileId',
      'GET /proofs/:orgId/:deviceId/:fileId/:linkId',
      'GET /alerts/:orgId',
      'GET /alerts/:orgId/:deviceId',
      'GET /alerts/:orgId/:deviceId/:id',
      'GET /events/:orgId',
      'GET /events/:orgId/:deviceId',
      'GET /events/:orgId/:deviceId/:fileId',
      'GET /events/single/:orgId/:deviceId/:id',
      'GET /stream/:orgId',
      'GET /users/:orgId/device/:deviceId',
      'POST /devices/:orgId',
      'PUT /devices/:orgId/:id',
      'PUT /devices/delete/:orgId/:id',
      'PUT /devices/files/:orgId/:id',
      'DELETE /files/:orgId/:deviceId/:fileId',
      'PUT /files/delete/:orgId/:deviceId',
      'POST /alerts/share/:orgId/:deviceId/:id',
      'DELETE /alerts/share/:orgId/:deviceId/:id',
      'PUT /alerts/turnoff/:orgId/:deviceId/:fileId/:id',
      'PUT /alerts/turnoff/:orgId',
      'GET /alerts/counts/:orgId',
      'GET /alerts/groups/:orgId',
      'GET /alerts/history/:orgId/:deviceId/:id',
      'PUT /alerts/assign/:orgId',
      'POST /alerts/comments/:orgId/:deviceId/:id',
      'GET /alerts/views/:orgId',
      'PUT /alerts/views/:orgId',
      'GET /users/:orgId',
      'GET /users/:orgId/:id',
    ],
  ],
  [
    ['401', '404', '403', 'yes', '401'],
    [
      'POST /users/:orgId',
      'PUT /users/:orgId/:id',
      'DELETE /users/:orgId/:id',
      'POST /users/resend/activationlink/:orgId/:id',
      'PUT /orgs/:orgId',
      'POST /devices/key/:orgId/:id',
      'GET /enrolments/:orgId',
      'POST /enrolments/:orgId',
      'DELETE /enrolments/:orgId/:id',
      'GET /service-tokens/:orgId',
      'POST /service-tokens/:orgId',
      'DELETE /service-tokens/:orgId/:id',
      'POST /testDB',
    ],
  ],
  [
    ['401', '401', '401', '401', 'own'],
    [
      'POST /files/:orgId/:deviceId/:fileId',
      'POST /files/bulk/:orgId/:deviceId',
      'POST /devices/health/:orgId/:deviceId',
    ],
  ],
  [['401', '404', 'yes', 'yes', 'own'], ['GET /devices/config/:orgId/:deviceId']],
];

/** So that what is allowed changes nothing for the callers after. */
const STALE = { 'if-match': '"of long ago"' };
const JSON_TYPE = { 'content-type': 'application/json' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

t.test('[S6.1] the table of roles and routes', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const table = rolesTable(world.routes);

  await t.test('of the code is that of the decisions', async (t) => {
    const expected = EXPECTED.flatMap(([row, names]) => names.map((name): [string, Row] => [name, row]));
    t.strictSame(Object.fromEntries(table), Object.fromEntries(expected));
    t.strictSame([...table.keys()].sort(), expected.map(([name]) => name).sort());
  });

  await t.test('is in docs/roles.md', async (t) => {
    const text = rolesDocument(table);
    if (process.env['SENTINEL_WRITE_DOCS'] === 'yes') await writeFile(DOCUMENT, text);
    t.equal(await readFile(DOCUMENT, 'utf8'), text, 'SENTINEL_WRITE_DOCS=yes writes it anew');
  });

  await t.test('[S6.10] holds for each caller', async (t) => {
    const scene = await createScene(world, new Map<string, FileHistory>());
    const { admin, orgId, deviceId, alertId } = scene;
    const sharedEmailAddresses = ['erin@example.com'];
    await admin.call('POST', `/alerts/share/${orgId}/${deviceId}/${alertId}`, { sharedEmailAddresses });
    const { name, template } = enrolment;
    const { body: made } = await admin.call('POST', `/enrolments/${orgId}`, { name, template });
    const fields = { name: 'Pipeline', role: 'REGULAR', readOnly: true };
    const { body: token } = await admin.call('POST', `/service-tokens/${orgId}`, fields);
    const things = { ...scene, enrolmentId: made.id, serviceTokenId: token.id };
    const callers = await callersOf(world, things);
    for (const [name, row] of table) {
      for (const [index, cell] of row.entries()) {
        if (cell === '–' || name === 'GET /stream/:orgId' || name === 'POST /logout') continue;
        const answer = await callers[index]!(name);
        t.ok(fits(cell, name, answer), `${name}, ${CALLERS[index]}: ${cell}, and it was ${answer.status}`);
      }
    }
  });
});

/** A call that may go on: a read is answered, a change fails at most at its empty body or its stale tag. */
function fits(cell: Cell, name: string, { status, body }: Answer): boolean {
  if (cell !== 'yes' && cell !== 'own') return String(status) === cell;
  if (name.includes('/users/confirm/')) return status === 404 && body.code === 'NOT_FOUND';
  return [200, 201, 202, 204, 409, 422].includes(status);
}

type Things = Scene & { readonly enrolmentId: string; readonly serviceTokenId: string };

async function callersOf(
  world: World,
  scene: Things,
): Promise<readonly ((name: string) => Promise<Answer>)[]> {
  const stranger = await world.signIn(scene.email('zoe'));
  const { admin, regular, apiKey } = scene;
  const call = (as: (...given: Parameters<World['call']>) => Promise<Answer>) => (name: string) => {
    const [method = '', path = ''] = name.split(' ');
    const headers = { ...STALE, ...(path.includes('/bulk/') ? NDJSON : JSON_TYPE) };
    return as(method, real(path, scene), method === 'GET' ? undefined : '{}', headers);
  };
  return [
    call((...given) => world.call(...given)),
    call((...given) => stranger.call(...given)),
    call((...given) => regular.call(...given)),
    call((...given) => admin.call(...given)),
    call((method, path, body, headers) =>
      world.call(method, path, body, { ...headers, 'x-api-key': apiKey }),
    ),
  ];
}

/** Ids of things that are there. */
function real(path: string, things: Things): string {
  const { orgId, deviceId, fileId, linkId, alertId, eventId, regular } = things;
  const one = {
    users: regular.userId,
    devices: deviceId,
    events: eventId,
    alerts: alertId,
    enrolments: things.enrolmentId,
    'service-tokens': things.serviceTokenId,
  };
  const kind = path.split('/')[1] as keyof typeof one;
  const ids: Readonly<Record<string, string>> = { orgId, deviceId, fileId, linkId, id: one[kind] };
  return path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'unknown');
}
