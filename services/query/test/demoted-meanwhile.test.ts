/** Tests that a command is refused when its caller loses the right to it while it runs. */
import { CLAIMS_COLLECTION, STREAMS_COLLECTION } from '@sentinel-node/platform';
import t from 'tap';
import { SAVED_VIEWS_COLLECTION } from '../src/alerts/saved-views.ts';
import { SHARE_DAYS_COLLECTION, SHARES_COLLECTION } from '../src/alerts/shares.ts';
import { NOTIFICATION_SETTINGS_COLLECTION, userRecipient } from '../src/notifications/settings.ts';
import { RESERVATIONS_COLLECTION } from '../src/storage/reservations.ts';
import { placeIn, type Place } from './place.ts';
import { createWorld, FILE, NO_LIMITS, type Answer, type Person } from './world.ts';

const world = await createWorld(t, NO_LIMITS);

/** Runs `before` when the next command has loaded its stream, and has not decided yet. */
function afterNextLoad(before: () => Promise<unknown>): { readonly isDone: () => boolean } {
  const { store } = world;
  const find = store.find.bind(store);
  let isDone = false;
  store.find = async (collection, query) => {
    const stream = query.where?.['stream'];
    const isOther =
      String(collection) === STREAMS_COLLECTION.name &&
      typeof stream === 'string' &&
      !stream.startsWith('org:');
    const found = await find(collection, query);
    if (!isOther || isDone) return found;
    isDone = true;
    store.find = find;
    await before();
    return found;
  };
  return { isDone: () => isDone };
}

/** Runs `before` when the next document of the collection was read by its id. */
function afterNextGet(
  collection: string,
  before: () => Promise<unknown>,
): { readonly isDone: () => boolean } {
  const { store } = world;
  const get = store.get.bind(store);
  let isDone = false;
  store.get = async (name, id) => {
    const found = await get(name, id);
    if (String(name) !== collection || isDone) return found;
    isDone = true;
    store.get = get;
    await before();
    return found;
  };
  return { isDone: () => isDone };
}

type Call = (caller: Pick<Person, 'call'>) => Promise<Answer>;

/** Returns a call of every kind of command for ADMINs, with what it makes. */
async function calls({ admin, orgId, deviceId }: Place): Promise<readonly (readonly [string, Call])[]> {
  const token = { name: 'T', role: 'REGULAR', readOnly: true };
  const made = (await admin.call('POST', `/service-tokens/${orgId}`, token)).body;
  const hook = { name: 'H', url: 'https://hook.example.org/', shape: 'cloudevents' };
  const webhook = (await admin.call('POST', `/webhooks/${orgId}`, hook)).body;
  const [rule] = (await admin.call('GET', `/notifications/rules/${orgId}`)).body.rules;
  const device = { path: '/srv/app', healthInterval: 60, category: 'ADVANCED', files: [FILE] };
  const template = { name: 'E', template: device };
  return [
    [
      'a service token is made',
      (one) => one.call('POST', `/service-tokens/${orgId}`, { ...token, name: 'U' }),
    ],
    ['a service token is ended', (one) => one.call('DELETE', `/service-tokens/${orgId}/${made.id}`)],
    ['a webhook is made', (one) => one.call('POST', `/webhooks/${orgId}`, { ...hook, name: 'I' })],
    [
      'a webhook is changed',
      (one) =>
        one.call('PUT', `/webhooks/${orgId}/${webhook.id}`, { name: 'J', url: hook.url, enabled: true }),
    ],
    ['a webhook is tested', (one) => one.call('POST', `/webhooks/test/${orgId}/${webhook.id}`, {})],
    ['a webhook is deleted', (one) => one.call('DELETE', `/webhooks/${orgId}/${webhook.id}`)],
    [
      'the secret of a webhook is replaced',
      (one) => one.call('POST', `/webhooks/secret/${orgId}/${webhook.id}`),
    ],
    ['a rule is deleted', (one) => one.call('DELETE', `/notifications/rules/${orgId}/${rule?.id}`)],
    ['a key is replaced', (one) => one.call('POST', `/devices/key/${orgId}/${deviceId}`, {})],
    ['an enrolment token is made', (one) => one.call('POST', `/enrolments/${orgId}`, template)],
  ];
}

t.test('given a person who is demoted meanwhile, then no command of an ADMIN is done', async (t) => {
  const here = await placeIn(world);
  const { admin, orgId } = here;
  const other = await world.member(admin, 'bob@example.org', 'ADMIN');
  const as = (role: 'ADMIN' | 'REGULAR') => {
    const fields = { name: 'Bob', emailAddress: 'bob@example.org', role };
    return admin.call('PUT', `/users/${orgId}/${other.userId}`, fields);
  };
  for (const [title, call] of await calls(here)) {
    t.equal((await as('ADMIN')).status, 200);
    const load = afterNextLoad(() => as('REGULAR'));
    const { status, body } = await call(other);
    t.ok(load.isDone(), title);
    t.match({ status, body }, { status: 403, body: { code: 'FORBIDDEN' } }, title);
  }
});

t.test('given a person who is deleted meanwhile, then no command is done', async (t) => {
  const { admin, orgId, deviceId } = await placeIn(world);
  const other = await world.member(admin, 'cid@example.org', 'REGULAR');
  const load = afterNextLoad(() => admin.call('DELETE', `/users/${orgId}/${other.userId}`));
  const files = [{ ...FILE, name: 'Second', path: 'second.log' }];
  const { status } = await other.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files });
  t.ok(load.isDone());
  t.ok(status === 401 || status === 404, `refused as a new call: ${status}`);
  t.equal((await admin.call('GET', `/devices/${orgId}/${deviceId}`)).body.files.length, 1);
});

/** Returns a call of every kind that changes documents of its own, with the collection that the call reads first. */
async function ownCalls(here: Place): Promise<readonly (readonly [string, string, Call])[]> {
  const { admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const alert = history.breach().alerts[0]!.id;
  await here.write();
  const share = `/alerts/share/${orgId}/${deviceId}/${alert}`;
  const shared = { sharedEmailAddresses: ['guest@example.org'] };
  const handling = { note: 'seen', status: 'RESOLVED' };
  const one = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alert}`;
  const setting = { mails: false, zone: 'UTC', quietHours: null };
  const views = [{ name: 'Open', query: 'status=ACTIVE' }];
  t.equal((await admin.call('POST', share, shared)).status, 200);
  return [
    [
      'an alert is shared',
      SHARE_DAYS_COLLECTION.name,
      (by) => by.call('POST', share, { sharedEmailAddresses: ['other@example.org'] }),
    ],
    ['sharing is ended', SHARES_COLLECTION.name, (by) => by.call('DELETE', share)],
    ['an alert is turned off', CLAIMS_COLLECTION.name, (by) => by.call('PUT', one, handling)],
    [
      'alerts are turned off',
      CLAIMS_COLLECTION.name,
      (by) => by.call('PUT', `/alerts/turnoff/${orgId}`, { ...handling, ids: [alert] }),
    ],
    [
      'own settings are changed',
      NOTIFICATION_SETTINGS_COLLECTION.name,
      (by) => by.call('PUT', `/notifications/own/${orgId}`, setting),
    ],
    [
      'views are saved',
      SAVED_VIEWS_COLLECTION.name,
      (by) => by.call('PUT', `/alerts/views/${orgId}`, { views }),
    ],
  ];
}

t.test('given a person who is deleted meanwhile, then no document of the call is changed', async (t) => {
  const here = await placeIn(world);
  const { admin, orgId, deviceId } = here;
  const alerts = async () => (await admin.call('GET', `/alerts/${orgId}/${deviceId}`)).body.alerts;
  const mails = async () => (await world.call('GET', '/dev-mail/messages')).body as { to: string }[];
  for (const [title, collection, call] of await ownCalls(here)) {
    const before = await alerts();
    const leaver = await world.member(admin, `leaver.${title.replaceAll(' ', '.')}@example.org`, 'REGULAR');
    const removed = `/users/${orgId}/${leaver.userId}`;
    const load = afterNextGet(collection, async () => {
      t.equal((await admin.call('DELETE', removed)).status, 200);
    });
    const { status, body } = await call(leaver);
    t.ok(load.isDone(), title);
    const answer: number = body.answers?.[0].status ?? status;
    t.ok(answer === 401 || answer === 404, `${title}, refused as a new call: ${answer}`);
    t.same(await alerts(), before, title);
    t.equal(await world.store.get(SAVED_VIEWS_COLLECTION.name, leaver.userId), undefined, title);
    const { id } = userRecipient(orgId, leaver.userId);
    t.equal(await world.store.get(NOTIFICATION_SETTINGS_COLLECTION.name, id), undefined, title);
  }
  t.notOk(
    (await mails()).some(({ to }) => to === 'other@example.org'),
    'nobody got the link',
  );
});

t.test('given a service token that is ended meanwhile, then no command on people is done', async (t) => {
  const { admin, orgId } = await placeIn(world);
  const users = async () => (await admin.call('GET', `/users/${orgId}`)).body.users;
  const before = await users();
  const made = await admin.call('POST', `/service-tokens/${orgId}`, {
    name: 'T',
    role: 'ADMIN',
    readOnly: false,
  });
  const { id, token } = made.body;
  const load = afterNextGet(RESERVATIONS_COLLECTION.name, () =>
    admin.call('DELETE', `/service-tokens/${orgId}/${id}`),
  );
  const invited = { name: 'Eve', email: 'eve@example.org', type: 'ADMIN', orgId };
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await world.call('POST', `/users/${orgId}`, invited, headers);
  t.ok(load.isDone());
  t.equal(status, 401);
  t.same(await users(), before);
});
