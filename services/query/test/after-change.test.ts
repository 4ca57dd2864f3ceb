/** Tests that no call says "nothing was done" after it changed something. */
import { OverloadedError, type DocumentStore } from '@sentinel-node/platform';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { createPlace } from './place.ts';
import { verifyClaims } from './small-verifier.ts';
import { createWorld, eventually, untilShown, type Answer } from './world.ts';

/**
 * Makes the store refuse all reads after the next write to `changed`, until the call is answered. Followers of the log
 * write meanwhile, at times of their own, what is not the call's.
 */
async function busyAfter(
  store: DocumentStore,
  changed: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const before = { ...methodsOf(store) };
  const gate = { isShut: false };
  const unlessShut =
    <A extends unknown[], R>(read: (...given: A) => Promise<R>) =>
    (...given: A): Promise<R> =>
      gate.isShut ? Promise.reject(new OverloadedError('too many calls')) : read(...given);
  store.get = unlessShut(before.get.bind(store)) as DocumentStore['get'];
  store.getMany = unlessShut(before.getMany.bind(store)) as DocumentStore['getMany'];
  store.find = unlessShut(before.find.bind(store)) as DocumentStore['find'];
  store.insertUnique = async (collection, document) => {
    await before.insertUnique.call(store, collection, document);
    gate.isShut ||= collection === changed;
  };
  store.writeBatches = async (batches) => {
    await before.writeBatches.call(store, batches);
    gate.isShut ||= batches.flat().some(({ collection }) => collection === changed);
  };
  try {
    return await call();
  } finally {
    Object.assign(store, before);
  }
}

function methodsOf({ get, getMany, find, insertUnique, writeBatches }: DocumentStore) {
  return { get, getMany, find, insertUnique, writeBatches };
}

async function placeWithAlerts(t: Test) {
  const here = await createPlace(t);
  here.history.baseline();
  const alerts = [here.history.breach(), here.history.breach()].map(({ alerts: [alert] }) => alert!.id);
  await here.write();
  return { ...here, alerts: alerts as [string, string] };
}

const DISMISS = { note: 'expected', status: 'RESOLVED' };

t.test('a change that cannot be read at once is UNAVAILABLE, as it may be done', async (t) => {
  const here = await placeWithAlerts(t);
  const { world, admin, orgId, deviceId, fileId, alerts } = here;
  const refused = { status: 503, body: { code: 'UNAVAILABLE' } };
  const shut = (changed: string, path: string, body: object, method = 'POST') =>
    busyAfter(world.store, changed, () => admin.call(method, path, body));
  const device = `/devices/${orgId}/${deviceId}`;

  const { apiKey } = (await admin.call('GET', device)).body;
  t.match(await shut('devices', `/devices/key/${orgId}/${deviceId}`, {}), refused, 'a rotated key');
  t.not((await admin.call('GET', device)).body.apiKey, apiKey);

  const comments = `/alerts/comments/${orgId}/${deviceId}/${alerts[0]}`;
  t.match(await shut('alert_history', comments, { text: 'Seen.' }), refused, 'a comment');
  const history = (await admin.call('GET', `/alerts/history/${orgId}/${deviceId}/${alerts[0]}`)).body;
  t.ok(history.history.some(({ text }: { text: string | null }) => text === 'Seen.'));

  const share = `/alerts/share/${orgId}/${deviceId}/${alerts[0]}`;
  const carl = { sharedEmailAddresses: ['carl@example.com'] };
  t.match(await shut('alert_shares', share, carl), refused, 'a shared alert');
  t.match((await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alerts[0]}`)).body, { shared: true });

  const claims = await verifyClaims(t, world.eventLog, here.history);
  const turnOff = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alerts[0]}`;
  t.match(await shut('claims', turnOff, DISMISS, 'PUT'), refused, 'a dismissed alert');
  await eventually(async () => (claims.length === 1 ? true : undefined));
});

t.test('of several alerts, each has its own answer when the store is busy for one', async (t) => {
  const here = await placeWithAlerts(t);
  const { world, admin, orgId, alerts } = here;
  const bob = await world.member(admin, 'bob@example.org', 'REGULAR');
  await verifyClaims(t, world.eventLog, here.history);
  const insertUnique = world.store.insertUnique.bind(world.store);
  let busy: string | undefined = alerts[1];
  world.store.insertUnique = (collection, document) =>
    String(document.id).includes(busy ?? '?')
      ? Promise.reject(new OverloadedError('too many calls'))
      : insertUnique(collection, document);
  const assigned = await admin.call('PUT', `/alerts/assign/${orgId}`, {
    ids: alerts,
    userId: bob.userId,
  });
  matchList(t, assigned.body.answers, [{ code: null }, { status: 503, code: 'OVERLOADED' }]);
  const dismissed = await untilShown(() =>
    admin.call('PUT', `/alerts/turnoff/${orgId}`, { ids: alerts, ...DISMISS }),
  );
  matchList(t, dismissed.body.answers, [{ code: null }, { status: 503, code: 'OVERLOADED' }]);
  busy = undefined;
});

t.test('a link whose call failed after it activated the account works once more', async (t) => {
  const world = await createWorld(t);
  const admin = await world.organization('Acme', 'ada@example.org');
  const email = 'inga@example.org';
  const invited = { name: 'Inga', email, type: 'REGULAR', orgId: admin.orgId };
  const { id } = (await admin.call('POST', `/users/${admin.orgId}`, invited)).body;
  const older = await world.activationOf(email);
  // The time distinguishes mails.
  world.clock.advance(1);
  t.equal((await admin.call('POST', `/users/resend/activationlink/${admin.orgId}/${id}`)).status, 200);
  const link = await world.activationOf(email, older);
  const confirm = (activation: string) => world.call('PUT', `/users/confirm/link/${activation}`);

  const { writeBatches } = methodsOf(world.store);
  world.store.writeBatches = () => Promise.reject(new OverloadedError('too many calls'));
  t.match(await confirm(link), { status: 503, body: { code: 'UNAVAILABLE' } });
  world.store.writeBatches = writeBatches;
  t.equal((await confirm(older)).status, 404, 'an older link has ended');
  t.match(await confirm(link), { status: 200, body: 'OK' });
  t.equal((await confirm(link)).status, 404, 'used');
});
