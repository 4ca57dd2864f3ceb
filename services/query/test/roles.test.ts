import { readFile, writeFile } from 'node:fs/promises';
import t from 'tap';
import { enrolment } from '../src/openapi/examples.ts';
import type { FileHistory } from './chain-records.ts';
import { CALLERS, limitedCells, rolesDocument, rolesTable, type Cell, type Row } from './roles-table.ts';
import { createScene, type Scene } from './scene.ts';
import { createWorld, NO_LIMITS, type Answer, type World } from './world.ts';

const DOCUMENT = new URL('../../../../docs/roles.md', import.meta.url);

/** By hand, from the table in decision 2 of the specification. */
const EXPECTED: readonly [Row, readonly string[]][] = [
  [
    ['yes', 'yes', 'yes', 'yes', '–'],
    [
      'GET /login',
      'POST /e2walletlogin',
      'GET /test',
      'PUT /users/confirm/link/:activateId',
      'POST /notifications/unsubscribe/:token',
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
      'GET /dashboard/:orgId/activity',
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
      'GET /maintenance/:orgId',
      'POST /maintenance/:orgId',
      'GET /maintenance/:orgId/:id',
      'PUT /maintenance/:orgId/:id',
      'DELETE /maintenance/:orgId/:id',
      'PUT /maintenance/review/:orgId/:id',
      'GET /expected/:orgId',
      'POST /expected/:orgId',
      'GET /expected/:orgId/:id',
      'DELETE /expected/:orgId/:id',
      'GET /users/:orgId',
      'GET /users/:orgId/:id',
      'GET /notifications/own/:orgId',
      'PUT /notifications/own/:orgId',
      'POST /notifications/test/:orgId',
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
      'GET /webhooks/:orgId',
      'GET /webhooks/:orgId/:id',
      'POST /webhooks/:orgId',
      'PUT /webhooks/:orgId/:id',
      'DELETE /webhooks/:orgId/:id',
      'POST /webhooks/secret/:orgId/:id',
      'POST /webhooks/test/:orgId/:id',
      'GET /webhooks/deliveries/:orgId/:id',
      'GET /webhooks/dead-letters/:orgId/:id',
      'POST /webhooks/dead-letters/:orgId/:id',
      'GET /notifications/rules/:orgId',
      'GET /notifications/rules/:orgId/:id',
      'POST /notifications/rules/:orgId',
      'PUT /notifications/rules/:orgId/:id',
      'DELETE /notifications/rules/:orgId/:id',
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
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function typeOf(path: string): Record<string, string> {
  if (path.includes('/unsubscribe/')) return FORM;
  return path.includes('/bulk/') ? NDJSON : JSON_TYPE;
}

t.test('[S6.1] the table of roles and routes', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const table = rolesTable(world.routes);

  await t.test('of the code is that of the specification', async (t) => {
    const expected = EXPECTED.flatMap(([row, names]) => names.map((name): [string, Row] => [name, row]));
    t.strictSame(Object.fromEntries(table), Object.fromEntries(expected));
    t.strictSame([...table.keys()].sort(), expected.map(([name]) => name).sort());
  });

  await t.test('is in docs/roles.md', async (t) => {
    const text = rolesDocument(table, limitedCells(world.routes));
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
    const hook = { name: 'On-call', shape: 'cloudevents', url: 'https://receiver.invalid/' };
    const { body: webhook } = await admin.call('POST', `/webhooks/${orgId}`, hook);
    const { body: deleted } = await admin.call('POST', `/webhooks/${orgId}`, hook);
    const end = new Date(world.clock.now() + 3_600_000).toISOString();
    const planned = { reason: 'Update', scope: { deviceIds: [deviceId] }, end };
    const { body: window } = await admin.call('POST', `/maintenance/${orgId}`, planned);
    const entries = [{ path: '/srv/shop.js', sha256: 'a'.repeat(64) }];
    const { body: list } = await admin.call('POST', `/expected/${orgId}`, { ...planned, entries });
    const things = {
      ...scene,
      enrolmentId: made.id,
      serviceTokenId: token.id,
      webhookId: webhook.id,
      deletedWebhookId: deleted.id,
      windowId: window.id,
      listId: list.id,
    };
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

type Things = Scene & {
  readonly enrolmentId: string;
  readonly serviceTokenId: string;
  readonly webhookId: string;
  /** Of a webhook that the calls delete. */
  readonly deletedWebhookId: string;
  readonly windowId: string;
  readonly listId: string;
};

async function callersOf(
  world: World,
  scene: Things,
): Promise<readonly ((name: string) => Promise<Answer>)[]> {
  const stranger = await world.signIn(scene.email('zoe'));
  const { admin, regular, apiKey } = scene;
  const call = (as: (...given: Parameters<World['call']>) => Promise<Answer>) => (name: string) => {
    const [method = '', path = ''] = name.split(' ');
    const headers = { ...STALE, ...typeOf(path) };
    return as(method, real(path, method, scene), method === 'GET' ? undefined : '{}', headers);
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
function real(path: string, method: string, things: Things): string {
  const { orgId, deviceId, fileId, linkId, alertId, eventId, regular } = things;
  const one = {
    users: regular.userId,
    devices: deviceId,
    events: eventId,
    alerts: alertId,
    enrolments: things.enrolmentId,
    'service-tokens': things.serviceTokenId,
    webhooks: method === 'DELETE' ? things.deletedWebhookId : things.webhookId,
    // Of the default rule.
    notifications: orgId,
    maintenance: things.windowId,
    expected: things.listId,
  };
  const kind = path.split('/')[1] as keyof typeof one;
  const ids: Readonly<Record<string, string>> = { orgId, deviceId, fileId, linkId, id: one[kind] };
  return path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'unknown');
}
