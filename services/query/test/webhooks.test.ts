/** Webhooks over HTTP: what administrators do with them, and what receivers see. */
import { createHmac } from 'node:crypto';
import t, { type Test } from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { LIMITS, webhookStream, type WebhookDelivery } from '@sentinel-node/contracts';
import { ConflictError, NotDurableError, STREAMS_COLLECTION } from '@sentinel-node/platform';
import { WebhookReceiver } from '@sentinel-node/test-kit/test-servers';
import { WEBHOOK_LIMITS } from '../src/webhooks/limits.ts';
import { NoticeQueue } from '../src/webhooks/queue.ts';
import { secondProcess } from './second-process.ts';
import { createWorld, eventually, NO_LIMITS, untilShown, type Person, type World } from './world.ts';

const PRIVATE = { ...NO_LIMITS, SENTINEL_WEBHOOK_PRIVATE_TARGETS: 'yes' };
const HOUR_MS = 3_600_000;
/** How often a command is tried while others change its stream. */
const COMMAND_ATTEMPTS = 9;

type Admin = Person & { readonly orgId: string };
interface Scene {
  readonly world: World;
  readonly admin: Admin;
  readonly receiver: WebhookReceiver;
}

async function sceneOf(t: Test, env: Readonly<Record<string, string>> = PRIVATE): Promise<Scene> {
  const world = await createWorld(t, env);
  const admin = await world.organization('Acme', 'ada@example.org');
  const receiver = await WebhookReceiver.start();
  t.teardown(() => receiver.goOffline());
  return { world, admin, receiver };
}

async function made(
  admin: Admin,
  url: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ id: string; secret: string }> {
  const body = { name: 'On-call', shape: 'cloudevents', url, ...more };
  const answer = await admin.call('POST', `/webhooks/${admin.orgId}`, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

const listed = async (admin: Admin): Promise<Record<string, unknown>[]> =>
  (await admin.call('GET', `/webhooks/${admin.orgId}`)).body.webhooks;

async function tested(admin: Admin, id: string): Promise<string> {
  const answer = await admin.call('POST', `/webhooks/test/${admin.orgId}/${id}`, {});
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
  return answer.body.noticeId;
}

/** The attempt to deliver a notice, once the log has it. */
const attemptOf = (admin: Admin, id: string, noticeId: string): Promise<WebhookDelivery> =>
  eventually(async () => {
    const { body } = await admin.call('GET', `/webhooks/deliveries/${admin.orgId}/${id}`);
    return (body.deliveries as WebhookDelivery[]).find((delivery) => delivery.noticeId === noticeId);
  });

/** As a receiver checks it (docs/webhooks.md). */
function isSigned(secret: string, { headers, body }: WebhookReceiver['messages'][number]): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const mac = createHmac('sha256', key).update(signed).digest('base64');
  return headers['webhook-signature']!.split(' ').includes(`v1,${mac}`);
}

const events = async (admin: Admin, type: string): Promise<Record<string, unknown>[]> => {
  const { body } = await admin.call('GET', `/events/${admin.orgId}?limit=500`);
  return (body.events as { type: string; note: string }[])
    .filter((event) => event.type === type)
    .map(({ note }) => JSON.parse(note) as Record<string, unknown>);
};

t.test('a test notice reaches the receiver, signed, and the log shows its answer', async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const { id, secret } = await made(admin, `${receiver.url}?token=verysecret`);
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  receiver.behaviour = { kind: 'answer', status: 202, body: 'thanks' };
  const noticeId = await tested(admin, id);
  t.match(await attemptOf(admin, id, noticeId), {
    noticeType: 'test',
    attempt: 1,
    delivered: true,
    status: 202,
    answer: 'thanks',
    problem: null,
  });
  const [message] = receiver.messages;
  t.ok(isSigned(secret, message!));
  t.equal(message!.path, '/hook?token=verysecret');
  t.equal(message!.headers['webhook-id'], noticeId);
  t.match(JSON.parse(message!.body), {
    type: 'sentinel-node.test',
    id: noticeId,
    data: { text: 'This is a test of the webhook On-call.', actor: 'ada@example.org' },
  });
  const [webhook] = await listed(admin);
  t.match(webhook, { id, waiting: 0, deadLetters: 0, lastAttempt: { delivered: true, status: 202 } });
  t.match(webhook!['url'], /\/hook\?…$/);
  const kept = JSON.stringify([
    await world.store.find('streams', { limit: 500 }),
    await world.store.find('webhooks', { limit: 500 }),
    await world.store.find('events', { limit: 500 }),
    webhook,
  ]);
  t.notMatch(kept, /verysecret/, 'the URL is stored encrypted');
  t.notOk(kept.includes(secret.slice('whsec_'.length)), 'and the secret nowhere');
  matchList(t, await events(admin, 'CREATE_WEBHOOK'), [{ by: 'ada@example.org', webhook: 'On-call' }]);
});

t.test('a corrected URL is tried at once, whatever the one before waits for', async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const { id } = await made(admin, `${receiver.url}/wrong`);
  receiver.behaviour = ({ path }) =>
    path === '/hook/wrong'
      ? { kind: 'answer', status: 503, headers: { 'retry-after': '21600' } }
      : { kind: 'answer', status: 200 };
  const noticeId = await tested(admin, id);
  t.match(await attemptOf(admin, id, noticeId), { delivered: false, status: 503 });
  await eventually(async () => {
    const [schedule] = await world.store.find('webhook_schedules', { limit: 1 });
    return Number(schedule?.['pausedUntil']) > world.clock.now() || undefined;
  });
  const waiting = await tested(admin, id);
  const path = `/webhooks/${admin.orgId}/${id}`;
  t.equal((await admin.call('PUT', path, { url: receiver.url })).status, 200);
  await eventually(async () => (receiver.messages.length >= 3 ? true : undefined));
  t.strictSame(receiver.messages.map(({ path, headers }) => [path, headers['webhook-id']]).slice(0, 1), [
    ['/hook/wrong', noticeId],
  ]);
  t.strictSame(
    receiver.messages
      .slice(1)
      .map(({ path, headers }) => `${path} ${headers['webhook-id']}`)
      .sort(),
    [`/hook ${noticeId}`, `/hook ${waiting}`].sort(),
  );
});

t.test('after a rotation both secrets are valid for 24 hours', async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const { id, secret } = await made(admin, receiver.url);
  const rotated = await admin.call('POST', `/webhooks/secret/${admin.orgId}/${id}`, {});
  t.equal(rotated.status, 200);
  const next = rotated.body.secret as string;
  t.not(next, secret);
  t.equal(rotated.body.previousValidUntil, new Date(world.clock.now() + 24 * HOUR_MS).toISOString());
  matchList(t, await listed(admin), [{ previousSecretValidUntil: rotated.body.previousValidUntil }]);
  await attemptOf(admin, id, await tested(admin, id));
  t.same(
    [secret, next].map((key) => isSigned(key, receiver.messages[0]!)),
    [true, true],
  );

  world.clock.advance(24 * HOUR_MS);
  const later: Admin = { ...(await world.signIn('ada@example.org')), orgId: admin.orgId };
  await attemptOf(later, id, await tested(later, id));
  t.same(
    [secret, next].map((key) => isSigned(key, receiver.messages[1]!)),
    [false, true],
  );
  matchList(t, await listed(later), [{ previousSecretValidUntil: null }]);
  matchList(t, await events(later, 'ROTATE_WEBHOOK_SECRET'), [{ by: 'ada@example.org', webhook: 'On-call' }]);
});

t.test('a private target gets nothing unless the operator allows it', async (t) => {
  const { admin, receiver } = await sceneOf(t, NO_LIMITS);
  const { port } = receiver;
  const refused = await admin.call('POST', `/webhooks/${admin.orgId}`, {
    ...{ name: 'Inside', shape: 'slack', url: receiver.url },
  });
  matchWhole(t, refused, { status: 422, body: { errors: [{ path: '/url', message: /https/ }] } });
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '169.254.169.254',
    '2130706433',
    '[::ffff:7f00:1]',
  ]) {
    const { id } = await made(admin, `https://${host}:${port}/`, { name: host });
    const attempt = await attemptOf(admin, id, await tested(admin, id));
    t.match(attempt, { delivered: false, status: null, problem: /is no public address/ }, host);
  }
  t.equal(receiver.connections, 0);
});

t.test('a redirect is not followed, to a private address or elsewhere', async (t) => {
  const { admin, receiver } = await sceneOf(t);
  const inside = await WebhookReceiver.start();
  t.teardown(() => inside.goOffline());
  const { id } = await made(admin, receiver.url);
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.behaviour = { kind: 'answer', status, headers: { location: inside.url } };
    const [fresh, other] = [status === 301 ? id : (await made(admin, receiver.url)).id, inside.connections];
    const attempt = await attemptOf(admin, fresh, await tested(admin, fresh));
    t.match(attempt, { delivered: false, status, problem: /redirects are not followed/ });
    t.equal(inside.connections, other);
  }
});

t.test('receivers that answer garbage, cut off, or answer hugely', async (t) => {
  const { admin, receiver } = await sceneOf(t);
  const once = async (): Promise<WebhookDelivery> => {
    const { id } = await made(admin, receiver.url);
    return attemptOf(admin, id, await tested(admin, id));
  };
  receiver.behaviour = { kind: 'garbage' };
  t.match(await once(), { delivered: false, status: null, problem: /Parse Error/ });
  receiver.behaviour = { kind: 'cut' };
  t.match(await once(), { delivered: false, status: null, problem: /hang up|ECONNRESET/ });
  receiver.behaviour = { kind: 'huge', bytes: 256 * 1_048_576 };
  const huge = await once();
  t.match(huge, { delivered: true, status: 200 });
  t.equal(huge.answer.length, 1_024);
  receiver.behaviour = { kind: 'answer', status: 500, body: '\u0000<script>\ud800' };
  t.match(await once(), { delivered: false, status: 500, problem: 'the receiver answered 500' });
  await receiver.goOffline();
  t.match(await once(), { delivered: false, status: null, problem: /ECONNREFUSED/ });
  await receiver.goOnline();
});

t.test('a slow receiver is waited for, one that hangs is not', async (t) => {
  const { admin, receiver } = await sceneOf(t);
  const { id } = await made(admin, receiver.url);
  let answer = (): void => undefined;
  receiver.behaviour = { kind: 'slow', until: new Promise<void>((resolve) => (answer = resolve)) };
  const noticeId = await tested(admin, id);
  await eventually(async () => (receiver.messages.length === 1 ? true : undefined));
  matchList(t, await listed(admin), [{ waiting: 1, lastAttempt: null }]);
  answer();
  t.match(await attemptOf(admin, id, noticeId), { delivered: true });
  receiver.behaviour = { kind: 'hang' };
  t.match(await attemptOf(admin, id, await tested(admin, id)), {
    ...{ delivered: false, status: null, problem: /^no answer within \d+(\.\d+)? s$/ },
  });
});

t.test('a URL that cannot be decrypted is given again', async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const { id } = await made(admin, receiver.url);
  const where = { stream: webhookStream(id) };
  const [kept] = await world.store.find(STREAMS_COLLECTION.name, { where, limit: 1 });
  if (kept?.entity.kind !== 'WEBHOOK') throw new Error('no webhook');
  const entity = { ...kept.entity, sealedTarget: 'sealed with another secret' };
  await world.store.bulkUpsert(STREAMS_COLLECTION.name, [{ ...kept, rev: kept.rev + 1, entity }]);
  const put = async (body: object): Promise<unknown> =>
    (await admin.call('PUT', `/webhooks/${admin.orgId}/${id}`, body)).status;
  const noticeId = await tested(admin, id);
  const path = `/webhooks/dead-letters/${admin.orgId}/${id}`;
  const isDead = async () => (await admin.call('GET', path)).body.deadLetters.length === 1 || undefined;
  await eventually(isDead);
  t.equal(await put({ name: 'Renamed' }), 200);
  t.equal(await put({ routingKey: 'x'.repeat(32) }), 422);
  t.equal(await put({ url: receiver.url }), 200, 'also the URL that is shown');
  t.equal((await admin.call('POST', path, { noticeIds: [noticeId] })).status, 202);
  await eventually(async () => receiver.messages.length === 1 || undefined);
});

t.test('a test of a webhook that the view does not have yet is refused, and not lost', async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const { store } = world;
  const { writeBatches } = store;
  const { id } = await made(admin, receiver.url);
  const put = (enabled: boolean) =>
    admin.call('PUT', `/webhooks/${admin.orgId}/${id}`, { enabled, url: receiver.url });
  t.equal((await put(false)).status, 200);
  store.writeBatches = (batches) =>
    JSON.stringify(batches).includes('webhooks')
      ? Promise.reject(new NotDurableError('no majority'))
      : writeBatches.call(store, batches);
  t.equal((await put(true)).status, 503, 'the change was made, and is shown later');
  const early = await admin.call('POST', `/webhooks/test/${admin.orgId}/${id}`, {});
  t.match(early, { status: 503, body: { code: 'UNAVAILABLE' } });
  store.writeBatches = writeBatches.bind(store);
  const sent = await untilShown(() => admin.call('POST', `/webhooks/test/${admin.orgId}/${id}`, {}));
  t.equal(sent.status, 202);
  await eventually(async () => receiver.messages.length === 1 || undefined);
});

t.test('410 disables the webhook also while the store stutters, and other webhooks go on', async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const { store } = world;
  const other = await WebhookReceiver.start();
  t.teardown(() => other.goOffline());
  receiver.behaviour = { kind: 'answer', status: 410 };
  const { writeBatches, insertUnique } = store;
  const [gone, contended] = [await made(admin, receiver.url), await made(admin, receiver.url)];
  const next = await made(admin, other.url);

  let refused = 0;
  store.writeBatches = async (batches) => {
    if (!JSON.stringify(batches).includes('"GONE"')) return writeBatches.call(store, batches);
    refused += 1;
    store.writeBatches = writeBatches.bind(store);
    throw new NotDurableError('no majority');
  };
  await tested(admin, gone.id);
  const stateOf = async (id: string) => (await listed(admin)).find((webhook) => webhook['id'] === id);
  await eventually(async () => ((await stateOf(gone.id))?.['deadLetters'] === 1 ? true : undefined));
  t.equal(refused, 1);

  store.insertUnique = async (collection, document) => {
    if (!JSON.stringify(document).includes('"GONE"')) return insertUnique.call(store, collection, document);
    refused += 1;
    throw new ConflictError('another was first');
  };
  await tested(admin, contended.id);
  await eventually(async () => (refused === 1 + COMMAND_ATTEMPTS ? true : undefined));
  await tested(admin, next.id);
  await eventually(async () => (other.messages.length === 1 ? true : undefined));
  store.insertUnique = insertUnique.bind(store);
  await eventually(async () => {
    world.clock.advance(WEBHOOK_LIMITS.leaseMs);
    return (await stateOf(contended.id))?.['disabledBecause'] === 'GONE' ? true : undefined;
  });
});

t.test('410 of the URL before leaves a webhook that has another by now', async (t) => {
  const { admin, receiver } = await sceneOf(t);
  const next = await WebhookReceiver.start();
  t.teardown(() => next.goOffline());
  const { id } = await made(admin, receiver.url);
  let answer: () => void = () => undefined;
  const until = new Promise<void>((resolve) => (answer = resolve));
  receiver.behaviour = { kind: 'slow', until, status: 410 };
  const noticeId = await tested(admin, id);
  await eventually(async () => receiver.messages.length === 1 || undefined);
  const put = await admin.call('PUT', `/webhooks/${admin.orgId}/${id}`, { url: next.url });
  t.equal(put.status, 200);
  answer();
  await eventually(async () => next.messages.length === 1 || undefined);
  t.equal(next.messages[0]!.headers['webhook-id'], noticeId);
  matchList(t, await listed(admin), [{ enabled: true, deadLetters: 0 }]);
});

t.test('410 disables the webhook with an event; enabled again, its dead letters can be sent', async (t) => {
  const { admin, receiver } = await sceneOf(t);
  const { id } = await made(admin, receiver.url);
  receiver.behaviour = { kind: 'answer', status: 410, body: 'gone' };
  const noticeId = await tested(admin, id);
  const path = `/webhooks/dead-letters/${admin.orgId}/${id}`;
  const letters = await eventually(async () => {
    const { deadLetters } = (await admin.call('GET', path)).body;
    return deadLetters.length > 0 ? deadLetters : undefined;
  });
  matchList(t, letters, [{ noticeId, attempts: 1, problem: 'the receiver answered 410 Gone' }]);
  await eventually(async () => ((await listed(admin))[0]!['enabled'] === false ? true : undefined));
  matchList(t, await listed(admin), [{ disabledBecause: 'GONE', deadLetters: 1 }]);
  matchList(t, await events(admin, 'DISABLE_WEBHOOK'), [{ by: null, webhook: 'On-call' }]);
  const disabled = { status: 409, body: { code: 'CONFLICT', detail: /disabled/ } };
  t.match(await admin.call('POST', `/webhooks/test/${admin.orgId}/${id}`, {}), disabled);
  t.match(await admin.call('POST', path, { noticeIds: [noticeId] }), disabled);
  t.strictSame(await events(admin, 'RESEND_WEBHOOK_NOTICES'), [], 'what is refused was not done');

  receiver.behaviour = { kind: 'answer', status: 200 };
  t.equal((await admin.call('PUT', `/webhooks/${admin.orgId}/${id}`, { enabled: true })).status, 200);
  t.match(await admin.call('POST', path, { noticeIds: [noticeId] }), { status: 202, body: { count: 1 } });
  const told = { by: 'ada@example.org', webhook: 'On-call', deadLetters: 1 };
  t.strictSame(await events(admin, 'RESEND_WEBHOOK_NOTICES'), [told]);
  t.match(await admin.call('POST', path, { noticeIds: [noticeId] }), { status: 202, body: { count: 0 } });
  t.equal((await events(admin, 'RESEND_WEBHOOK_NOTICES')).length, 1, 'nothing was there to be sent');
  await eventually(async () => (receiver.messages.length === 2 ? true : undefined));
  t.same(
    receiver.messages.map(({ headers }) => headers['webhook-id']),
    [noticeId, noticeId],
  );
  t.same((await admin.call('GET', path)).body, { deadLetters: [] });
});

t.test(
  'dead letters that wait again, and of which no process was told, go when they are sent again',
  async (t) => {
    const { world, admin, receiver } = await sceneOf(t);
    const { id } = await made(admin, receiver.url);
    receiver.behaviour = { kind: 'answer', status: 410, body: 'gone' };
    const noticeId = await tested(admin, id);
    const queue = new NoticeQueue(world.store, world.clock, {
      attempt: () => undefined,
      undelivered: () => undefined,
    });
    await eventually(async () => (await queue.countDead(id)) > 0 || undefined);
    await eventually(async () => ((await listed(admin))[0]!['enabled'] === false ? true : undefined));
    receiver.behaviour = { kind: 'answer', status: 200 };
    t.equal((await admin.call('PUT', `/webhooks/${admin.orgId}/${id}`, { enabled: true })).status, 200);
    t.equal(await queue.sendAgain(id, [noticeId]), 1, 'the process ends here');
    const path = `/webhooks/dead-letters/${admin.orgId}/${id}`;
    t.match(await admin.call('POST', path, { noticeIds: [noticeId] }), { status: 202, body: { count: 0 } });
    await eventually(async () => (receiver.messages.length === 2 ? true : undefined));
  },
);

t.test('a webhook is changed, and what the list shows can be sent back', async (t) => {
  const { admin, receiver } = await sceneOf(t);
  const { id } = await made(admin, `${receiver.url}?token=1`);
  const path = `/webhooks/${admin.orgId}/${id}`;
  const [shown] = await listed(admin);
  t.equal((await admin.call('PUT', path, { ...shown, name: 'Night' })).status, 200);
  await attemptOf(admin, id, await tested(admin, id));
  t.equal(receiver.messages[0]!.path, '/hook?token=1', 'the URL is what it was');
  t.equal((await admin.call('PUT', path, { url: `${receiver.url}/2` })).status, 200);
  await attemptOf(admin, id, await tested(admin, id));
  t.equal(receiver.messages[1]!.path, '/hook/2');
  matchList(t, await listed(admin), [{ name: 'Night', url: `${receiver.url}/2` }]);
  for (const url of ['nonsense', 'https://me@a.example/', 'https://a.example/#x', 'ftp://a.example/'])
    matchWhole(
      t,
      await admin.call('PUT', path, { url }),
      { status: 422, body: { errors: [{ path: '/url' }] } },
      url,
    );
  matchWhole(t, await admin.call('PUT', path, { routingKey: 'R0' }), {
    status: 422,
    body: { errors: [{ path: '/routingKey', message: 'is for PagerDuty only' }] },
  });
  t.equal((await admin.call('PUT', path, { enabled: false })).status, 200);
  matchList(t, await listed(admin), [{ enabled: false, disabledBecause: 'PERSON' }]);
  t.equal((await events(admin, 'MODIFY_WEBHOOK')).length, 3);
});

t.test('PagerDuty needs its routing key, which is shown to nobody', async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const fields = { name: 'Pager', shape: 'pagerduty', url: receiver.url };
  matchWhole(t, await admin.call('POST', `/webhooks/${admin.orgId}`, fields), {
    status: 422,
    body: { errors: [{ path: '/routingKey', message: 'is required' }] },
  });
  const { id } = await made(admin, receiver.url, { ...fields, routingKey: 'R0SECRET' });
  await attemptOf(admin, id, await tested(admin, id));
  t.match(JSON.parse(receiver.messages[0]!.body), { routing_key: 'R0SECRET', event_action: 'trigger' });
  const kept = [await world.store.find('streams', { limit: 500 }), await listed(admin)];
  t.notMatch(JSON.stringify(kept), /R0SECRET/);
});

t.test('a deleted webhook takes its log and dead letters with it', async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const { id } = await made(admin, receiver.url);
  await attemptOf(admin, id, await tested(admin, id));
  t.equal((await admin.call('DELETE', `/webhooks/${admin.orgId}/${id}`)).status, 200);
  t.equal((await admin.call('DELETE', `/webhooks/${admin.orgId}/${id}`)).status, 200);
  t.same(await listed(admin), []);
  for (const [method, path] of [
    ['GET', 'deliveries/'],
    ['GET', 'dead-letters/'],
    ['POST', 'test/'],
    ['POST', 'secret/'],
  ] as const)
    t.equal((await admin.call(method, `/webhooks/${path}${admin.orgId}/${id}`)).status, 404, path);
  await eventually(async () => {
    const counts = await Promise.all(
      ['webhook_notices', 'webhook_attempts', 'webhook_schedules'].map((name) => world.store.count(name)),
    );
    return counts.every((count) => count === 0) ? true : undefined;
  });
  t.equal((await events(admin, 'DELETE_WEBHOOK')).length, 1);
});

t.test("another organisation's webhook is unknown, and their number is bounded", async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const other = await world.organization('Other', 'eve@example.org');
  const { id } = await made(other, receiver.url);
  const paths = ['', 'secret/', 'test/', 'deliveries/', 'dead-letters/'];
  for (const path of paths) {
    const method = path === '' ? 'DELETE' : path === 'secret/' || path === 'test/' ? 'POST' : 'GET';
    const body = method === 'POST' ? {} : undefined;
    t.equal((await admin.call(method, `/webhooks/${path}${admin.orgId}/${id}`, body)).status, 404, path);
  }
  t.equal((await admin.call('PUT', `/webhooks/${admin.orgId}/${id}`, { name: 'mine' })).status, 404);
  matchList(t, await listed(other), [{ name: 'On-call', enabled: true }]);
  for (let n = 0; n < LIMITS.webhooksPerOrganization; n++) await made(admin, receiver.url);
  const one = { name: 'x', shape: 'slack', url: receiver.url };
  t.match(await admin.call('POST', `/webhooks/${admin.orgId}`, one), {
    status: 409,
    body: { code: 'LIMIT_REACHED' },
  });
});

t.test('two processes share the work: each notice goes once', async (t) => {
  const { world, admin, receiver } = await sceneOf(t);
  const there = await secondProcess(t, world, PRIVATE);
  const { id } = await made(admin, receiver.url);
  const headers = { 'x-access-token': admin.token, 'x-xsrf-token': admin.xsrf };
  const path = `/webhooks/test/${admin.orgId}/${id}`;
  const sent: string[] = [];
  for (let n = 0; n < 10; n++) {
    sent.push(await tested(admin, id));
    sent.push((await there('POST', path, {}, headers)).body.noticeId);
  }
  for (const noticeId of sent) t.match(await attemptOf(admin, id, noticeId), { delivered: true });
  t.same(receiver.messages.map(({ headers: given }) => given['webhook-id']).sort(), sent.sort());
});
