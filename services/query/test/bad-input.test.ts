import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { ERRORS, LIMITS, ProblemSchema, type ErrorCode } from '@sentinel-node/contracts';
import { Compile } from 'typebox/compile';
import { badBodies, BAD_KEYS } from './bad-bodies.ts';
import type { FileHistory } from './chain-records.ts';
import { exampleRequest, type ExampleRequest } from './example-request.ts';
import { callsOf, documentOf, type ReadCall } from './openapi-document.ts';
import { createScene, type Scene } from './scene.ts';
import { createWorld, NO_LIMITS, type Answer } from './world.ts';

const problems = Compile(ProblemSchema);
/** Texts that no answer may show: stacks, paths, names of parts. */
const INTERNAL =
  /node_modules|dist\/|\.[jt]s:\d|at [\w.]+ \(|sqlite|libsql|SQLITE|mongo|kafka|typebox|FST_ERR/i;
const NOBODY = '019aa5f0-7c00-7a10-8000-00000000ffff';

t.test('[S5.27] bad input to every route that there is', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const document = await documentOf(world);
  const histories = new Map<string, FileHistory>();
  const [scene, other] = [await createScene(world, histories), await createScene(world, histories)];
  const requests: { name: string; call: ReadCall; request: ExampleRequest }[] = [];
  for (const one of callsOf(document)) {
    if (one.name === 'GET /stream/:orgId') continue;
    requests.push({ name: one.name, call: one.call, request: await exampleRequest(world, scene, one) });
  }
  t.ok(requests.length >= 45, 'all routes are here');
  const faults: string[] = [];
  let tried = 0;
  const refused = (name: string, call: ReadCall, answer: Answer, codes: readonly ErrorCode[]): void => {
    tried += 1;
    faults.push(...faultsOf(call, answer, codes).map((fault) => `${name}: ${fault}: ${shown(answer)}`));
  };
  const done = (t: Test, atLeast: number): void => {
    t.ok(tried >= atLeast, `${tried} requests`);
    t.strictSame(faults.splice(0), []);
    tried = 0;
  };

  await t.test('bodies', async (t) => {
    for (const { name, call, request } of requests) {
      const type = Object.keys(call.requestBody?.content ?? {})[0];
      if (type !== 'application/json') continue;
      for (const { title, body, code = 'VALIDATION_FAILED', headers = {} } of badBodies(request.body!)) {
        const answer = await request.send({ body, headers });
        refused(`${name}: ${title}`, call, answer, [code]);
      }
    }
    done(t, 600);
  });

  await t.test('bodies where there is none', async (t) => {
    const bodiless = requests.filter(({ call, request }) => !call.requestBody && request.method !== 'GET');
    t.ok(bodiless.length > 5);
    for (const { name, call, request } of bodiless) {
      if (name === 'POST /logout') continue;
      const headers = { 'content-type': 'application/json' };
      const answer = await request.send({ body: '{"surprise":1}', headers });
      refused(name, call, answer, ['VALIDATION_FAILED']);
      const text = await request.send({ body: 'x', headers: { 'content-type': 'text/plain' } });
      refused(name, call, text, ['UNSUPPORTED_MEDIA_TYPE']);
      const large = await request.send({ body: `{"x":"${'x'.repeat(LIMITS.logRecordBytes)}"}`, headers });
      refused(name, call, large, ['PAYLOAD_TOO_LARGE']);
    }
    done(t, 15);
  });

  await t.test('a token without what goes with it, also where none is asked for', async (t) => {
    const headers = { 'x-access-token': scene.admin.token, 'x-xsrf-token': 'another' };
    for (const { name, call, request } of requests) {
      const isAgents = call.security?.some((one) => 'deviceKey' in one) === true;
      if (request.method === 'GET' || isAgents) continue;
      refused(name, call, await request.send({ headers }), ['XSRF']);
    }
    done(t, 20);
  });

  await t.test('path parameters that are no ids', async (t) => {
    for (const { name, call, request } of requests) {
      const parameters = (call.parameters ?? []).filter(({ in: place }) => place === 'path');
      for (const { name: parameter } of parameters) {
        for (const key of BAD_KEYS) {
          const path = withParameter(name, request.path, parameter, key);
          const answer = await request.send({ path, headers: { 'if-match': '"of long ago"' } });
          const codes: ErrorCode[] = ['NOT_FOUND', 'INVALID_API_KEY', 'METHOD_NOT_ALLOWED'];
          refused(`${name}: ${parameter}=${key.slice(0, 20)}`, call, answer, codes);
        }
      }
    }
    done(t, 700);
  });

  await t.test("another organisation's things are unknown", async (t) => {
    const things = {
      orgId: other.orgId,
      deviceId: other.deviceId,
      fileId: other.fileId,
      linkId: other.linkId,
    };
    for (const { name, call, request } of requests) {
      if (call.security?.length === 0) continue;
      const isAgents = call.security?.some((one) => 'deviceKey' in one) === true;
      for (const { name: parameter, in: place } of call.parameters ?? []) {
        if (place !== 'path') continue;
        const foreign = { ...things, id: itemOf(name, other) }[parameter] ?? NOBODY;
        const path = withParameter(name, request.path, parameter, foreign);
        const answer = await request.send({ path });
        const code = isAgents && parameter !== 'fileId' ? 'INVALID_API_KEY' : 'NOT_FOUND';
        refused(`${name}: ${parameter}`, call, answer, [code]);
      }
    }
    done(t, 60);
  });

  await t.test("another organisation's things in a body are unknown", async (t) => {
    const { admin, orgId, deviceId, fileId } = scene;
    const file = (await admin.call('GET', `/files/${orgId}/${deviceId}/${fileId}`)).body;
    const files = [{ ...file, id: other.fileId }];
    const many = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files });
    t.equal(many.status, 404);
    const gone = await admin.call('PUT', `/files/delete/${orgId}/${deviceId}`, { files: [other.fileId] });
    t.equal(gone.status, 404);
    const chain = await admin.call('PUT', `/files/chain/${orgId}/${deviceId}/${fileId}`, {
      hashId: other.linkId,
      before: 5,
    });
    t.equal(chain.status, 404);
    const several = await admin.call('PUT', `/alerts/turnoff/${orgId}`, {
      ids: [other.alertId],
      note: 'not mine',
      status: 'RESOLVED',
    });
    t.strictSame(several.body, { answers: [{ id: other.alertId, status: 404, code: 'NOT_FOUND' }] });
    const invited = { name: 'Mallory', email: 'mallory@example.org', type: 'ADMIN', orgId: other.orgId };
    matchWhole(t, await admin.call('POST', `/users/${orgId}`, invited), {
      status: 422,
      body: { errors: [{ path: '/orgId' }] },
    });
  });

  await t.test('queries', async (t) => {
    const listing = requests.filter(({ call }) =>
      (call.parameters ?? []).some(({ name }) => name === 'limit'),
    );
    t.equal(listing.length, 6);
    const bad = [
      'limit=0',
      'limit=501',
      'limit=ten',
      'limit=1&limit=2',
      'timestampFrom=yesterday',
      'unknown=1',
    ];
    bad.push(
      'toExport=perhaps',
      `search=${'x'.repeat(LIMITS.nameCharacters + 1)}`,
      'lastId=../..',
      '__proto__=1',
    );
    bad.push(
      'lastId=1&lastId=2',
      'timeZone=Nowhere/Land&search=1',
      'timeZone=Nowhere/Land',
      'timestampFrom=2026-13-45T00:00:00.000Z',
    );
    bad.push('timestampFrom=2026-02-30T00:00:00.000Z', 'timestampTo=2026-11-21T24:00:00.000Z');
    for (const { name, call, request } of listing) {
      for (const query of bad) {
        const answer = await request.send({ path: `${request.path.split('?')[0]}?${query}` });
        refused(`${name}: ${query.slice(0, 40)}`, call, answer, ['VALIDATION_FAILED']);
      }
    }
    done(t, 60);
  });
});

function itemOf(name: string, { alertId, eventId, deviceId, regular }: Scene): string {
  const items: Readonly<Record<string, string>> = {
    alerts: alertId,
    events: eventId,
    devices: deviceId,
    users: regular.userId,
  };
  return items[name.split('/')[1]!] ?? NOBODY;
}

/** @param name such as `GET /devices/:orgId/:id`, to find the parameter */
function withParameter(name: string, path: string, parameter: string, value: string): string {
  const at = name.split(' ')[1]!.split('/').indexOf(`:${parameter}`);
  const [plain = '', query] = path.split('?');
  const segments = plain
    .split('/')
    .map((segment, index) => (index === at ? encodeURIComponent(value) : segment));
  return segments.join('/') + (query === undefined ? '' : `?${query}`);
}

/** Returns the faults of a refusal, whatever its code. */
function faultsOf(call: ReadCall, { status, body, headers }: Answer, codes: readonly ErrorCode[]): string[] {
  const found: [boolean, string][] = [
    [codes.includes(body.code), `not ${codes.join(' or ')}`],
    [/^application\/problem\+json/.test(String(headers['content-type'])), 'not a problem by its type'],
    [problems.Check(body), 'not problem details'],
    [ERRORS[body.code as ErrorCode]?.status === status, 'not the status of its code'],
    [status === 405 || String(status) in call.responses, 'not described'],
    [!INTERNAL.test(JSON.stringify(body)), 'shows something internal'],
  ];
  return found.filter(([holds]) => !holds).map(([, fault]) => fault);
}

const shown = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body).slice(0, 300)}`;
