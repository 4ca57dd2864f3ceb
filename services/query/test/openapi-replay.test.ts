import t, { type Test } from 'tap';
import { Compile } from 'typebox/compile';
import { developmentWallet } from '../src/dev-wallet/wallet.ts';
import { EXAMPLE } from '../src/openapi/examples.ts';
import { CALLBACK_PATH } from '../src/signin/wallet-sign-in.ts';
import { systemRandom } from '@sentinel-node/platform';
import type { FileHistory } from './chain-records.ts';
import { callsOf, documentOf, inlined, type ReadCall, type ReadDocument } from './openapi-document.ts';
import { createScene, type Scene } from './scene.ts';
import { verifyClaimsOf } from './small-verifier.ts';
import { openStream } from './sse-client.ts';
import { createWorld, MASTER_SECRET, NO_LIMITS, type Answer, type World } from './world.ts';

type Call = ReturnType<typeof callsOf>[number];

t.test(
  'every example of the document, sent to a running service, is answered as the document says',
  async (t) => {
    const world = await createWorld(t, NO_LIMITS);
    const histories = new Map<string, FileHistory>();
    await verifyClaimsOf(t, world.eventLog, histories);
    const document = await documentOf(world);
    for (const call of callsOf(document)) {
      if (call.name === 'GET /stream/:orgId') continue;
      const scene = await createScene(world, histories);
      const answer = await replay(world, scene, call);
      checkAnswer(t, document, call, answer);
    }

    await t.test('GET /stream/:orgId', async (t) => {
      const scene = await createScene(world, histories);
      const stream = await openStream(t, world, scene.admin, scene.orgId);
      t.equal(stream.status, 200);
      t.match(stream.headers.get('content-type'), /^text\/event-stream/);
      t.match(await stream.next(() => true), { event: 'ready', data: {} });
    });
  },
);

/** With the things of the scene in the place of those that the examples speak of. */
async function replay(world: World, scene: Scene, { name, method, path, call }: Call): Promise<Answer> {
  const own = await ownThings(world, scene, name);
  const real = (text: string): string =>
    [...own].reduce((done, [example, thing]) => done.replaceAll(example, thing), text);
  const query = new URLSearchParams();
  let url = path;
  for (const { name: parameter, in: place, example } of call.parameters ?? []) {
    if (example === undefined) continue;
    if (place === 'path') url = url.replace(`{${parameter}}`, String(example));
    if (place === 'query') query.set(parameter, String(example));
  }
  const [type, media] = Object.entries(call.requestBody?.content ?? {})[0] ?? [];
  const text = typeof media?.example === 'string' ? media.example : JSON.stringify(media?.example);
  const body = media === undefined ? undefined : real(text!);
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  if (name === 'GET /alerts/link/shared/data/:id') await share(scene);
  const target = real(query.size === 0 ? url : `${url}?${query}`);
  const signed = name === 'POST /e2walletlogin' ? credentials(world) : body;
  if (call.security?.some((one) => 'deviceKey' in one) === true)
    return world.call(method, target, body, { ...headers, 'x-api-key': scene.apiKey });
  if (call.security?.length === 0) return world.call(method, target, signed, headers);
  const caller = name === 'POST /orgs' ? await world.signIn(scene.email('carl')) : scene.admin;
  const mine = name === 'POST /orgs' ? body?.replace(EXAMPLE.userId, caller.session.userId) : body;
  return caller.call(method, target, mine, headers);
}

async function ownThings(world: World, scene: Scene, name: string): Promise<Map<string, string>> {
  const { orgId, admin, regular, deviceId, fileId, alertId, eventId, email } = scene;
  const invited = name.includes('/users/confirm') || name.includes('/users/resend');
  const fresh = invited ? await invite(scene) : regular.userId;
  const things = new Map<string, string>([
    [EXAMPLE.orgId, orgId],
    [EXAMPLE.adminId, admin.session.userId],
    [EXAMPLE.deviceId, deviceId],
    [EXAMPLE.fileId, fileId],
    [EXAMPLE.alertId, alertId],
    [EXAMPLE.eventId, eventId],
    ['Example works', `Works of ${email('carl')}`],
  ]);
  if (name !== 'POST /orgs') things.set(EXAMPLE.userId, fresh);
  for (const person of ['ada', 'bob', 'carl', 'dora']) things.set(`${person}@example.org`, email(person));
  if (name.includes('/users/confirm'))
    things.set(EXAMPLE.activateId, await world.activationOf(email('inga')));
  if (name === 'GET /login') {
    const { body } = await world.call('POST', '/dev-wallet/login', { email: email('ada'), name: 'Ada' });
    things.set(EXAMPLE.accessToken, body.access_token);
  }
  return things;
}

async function invite({ admin, orgId, email }: Scene): Promise<string> {
  const user = { name: 'Inga', email: email('inga'), type: 'REGULAR', orgId };
  return (await admin.call('POST', `/users/${orgId}`, user)).body.id as string;
}

async function share({ admin, orgId, deviceId, alertId }: Scene): Promise<void> {
  const sharedEmailAddresses = ['erin@example.com'];
  await admin.call('POST', `/alerts/share/${orgId}/${deviceId}/${alertId}`, { sharedEmailAddresses });
}

function credentials(world: World): object {
  const wallet = developmentWallet(MASTER_SECRET, world.clock, systemRandom);
  return wallet.credentials(
    { email: 'walt@example.org', name: 'Walt' },
    `http://localhost:8443${CALLBACK_PATH}`,
  );
}

function checkAnswer(t: Test, document: ReadDocument, { name, call }: Call, answer: Answer): void {
  const [status, described] = successOf(call);
  t.equal(String(answer.status), status, `${name}: ${JSON.stringify(answer.body).slice(0, 200)}`);
  const media = described.content?.['application/json'];
  if (media === undefined) return void t.equal(answer.body, '', `${name}: no body`);
  t.match(answer.headers['content-type'], /^application\/json/, `${name}: type`);
  const check = Compile(inlined(document, media.schema) as never);
  t.strictSame([...check.Errors(answer.body)], [], `${name}: the answer fits its schema`);
  const isObject = typeof answer.body === 'object' && !Array.isArray(answer.body);
  if (isObject)
    t.strictSame(
      Object.keys(answer.body).sort(),
      Object.keys(media.example as object).sort(),
      `${name}: members`,
    );
  const tagged = 'headers' in described && described.headers !== undefined && 'ETag' in described.headers;
  t.equal('etag' in answer.headers, tagged, `${name}: ETag as described`);
}

function successOf(call: ReadCall) {
  return Object.entries(call.responses).find(([status]) => status.startsWith('2'))!;
}
