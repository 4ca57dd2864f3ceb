import t from 'tap';
import { deviceStream, TOPICS, type DeviceEntity, type PolicyRecord } from '@sentinel-node/contracts';
import { loadStream, NotDurableError, OverloadedError, type EventLog } from '@sentinel-node/platform';
import { RESERVATION_GRACE_MS, Reservations } from '../src/storage/reservations.ts';
import { recordsOf } from './kept.ts';
import { createWorld, DEVICE, eventually, FILE } from './world.ts';

const owner = (orgId: string) => ({ orgId, userId: 'u' });
const isHolder = async () => true;
const notHeld = async () => false;

t.test('a reservation belongs to one owner', async (t) => {
  const { store, clock } = await createWorld(t);
  const reservations = new Reservations(store, clock);
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((org) => reservations.take('email:x', owner(org), isHolder)),
  );
  t.equal(answers.filter(Boolean).length, 1, 'of several at once');
  const holder = (await reservations.owner('email:x'))!;
  t.equal(await reservations.take('email:x', holder, isHolder), true, 'taking it again');
  t.equal(await reservations.take('email:x', owner('other'), notHeld), false, 'its commit may be under way');
  clock.advance(RESERVATION_GRACE_MS);
  t.equal(await reservations.take('email:x', owner('other'), isHolder), false, 'the streams bear it out');
  t.equal(await reservations.take('email:x', owner('other'), notHeld), true, 'left behind by a crash');
  await reservations.release('email:x', holder);
  t.match(await reservations.owner('email:x'), { orgId: 'other' }, 'what is another’s is not released');
  await reservations.release('email:x', owner('other'));
  t.equal(await reservations.owner('email:x'), undefined);
  t.equal(await reservations.take('email:x', owner('third'), isHolder), true, 'at once when released');
});

t.test('a commit that the log could not take is published by the sweep', async (t) => {
  let full = false;
  const world = await createWorld(t, {}, {});
  const append = world.eventLog.append.bind(world.eventLog);
  (world.eventLog as { append: EventLog['append'] }).append = (topic, records) =>
    full ? Promise.reject(new NotDurableError('the disk is full')) : append(topic, records);
  const ann = await world.organization('Acme', 'ann@example.org');
  full = true;
  const created = await ann.call('POST', `/devices/${ann.orgId}`, DEVICE);
  t.equal(created.status, 201, 'the decision is durable');
  t.equal((await ann.call('GET', `/devices/${ann.orgId}/${created.body.id}`)).status, 200, 'and readable');
  const waiting = await loadStream<DeviceEntity>(world.store, deviceStream(created.body.id));
  t.equal(waiting?.unpublished, 1);
  full = false;
  world.clock.advance(10_000);
  await eventually(async () => {
    const { unpublished } = (await loadStream<DeviceEntity>(world.store, deviceStream(created.body.id)))!;
    return unpublished === undefined ? true : undefined;
  });
  const ids: string[] = [];
  for await (const { records } of world.eventLog.read(TOPICS.registry, 0, 0))
    ids.push(...records.map(({ id }) => id));
  t.ok(ids.some((id) => id.startsWith(deviceStream(created.body.id))));
});

t.test('a change follows an earlier one of its device that waits for the log', async (t) => {
  let full = false;
  const world = await createWorld(t, {}, {});
  const append = world.eventLog.append.bind(world.eventLog);
  (world.eventLog as { append: EventLog['append'] }).append = (topic, records) =>
    full && topic === TOPICS.fileEvents
      ? Promise.reject(new NotDurableError('the disk is full'))
      : append(topic, records);
  const ann = await world.organization('Acme', 'ann@example.org');
  const path = `/devices/${ann.orgId}`;
  const { body } = await ann.call('POST', path, DEVICE);
  const added = await ann.call('PUT', `/devices/files/${ann.orgId}/${body.id}`, { files: [FILE] });
  const fileId = added.body.files[0].id;
  const before = (await loadStream(world.store, deviceStream(body.id)))!.version;
  const update = async (more: object): Promise<void> => {
    const device = (await ann.call('GET', `${path}/${body.id}`)).body;
    const answer = await ann.call('PUT', `${path}/${body.id}`, { ...device, files: [], ...more });
    t.equal(answer.status, 200, 'the decision is durable');
  };
  full = true;
  await update({ enabled: false, disabledNote: 'moved' });
  full = false;
  await update({ enabled: true });
  const records = (await recordsOf(world.eventLog, TOPICS.fileEvents)) as PolicyRecord[];
  const told = records.map(({ fileId, policy }) => [fileId, policy.configVersion, policy.enabled]);
  t.strictSame(
    told,
    [
      [fileId, before + 1, false],
      [fileId, before + 2, true],
    ],
    'both switches stand in the chain only if the log has them in order',
  );
});

t.test('what was committed is not refused as too much when no view takes it now', async (t) => {
  let full = false;
  const world = await createWorld(t, {}, {});
  const writeBatches = world.store.writeBatches.bind(world.store);
  world.store.writeBatches = (batches) =>
    full ? Promise.reject(new OverloadedError('too many calls')) : writeBatches(batches);
  const ann = await world.organization('Acme', 'ann@example.org');
  full = true;
  const answer = await ann.call('POST', `/devices/${ann.orgId}`, DEVICE);
  t.match(answer, { status: 503, body: { code: 'UNAVAILABLE' } });
  full = false;
  const names = await eventually(async () => {
    const { devices } = (await ann.call('GET', `/devices/${ann.orgId}`)).body;
    return devices.length > 0 ? devices.map(({ name }: { name: string }) => name) : undefined;
  });
  t.same(names, [DEVICE.name], 'it was made');
});

t.test('a device whose files would not fit one record of the log: 409', async (t) => {
  const world = await createWorld(t);
  const ann = await world.organization('Acme', 'ann@example.org');
  const { body } = await ann.call('POST', `/devices/${ann.orgId}`, DEVICE);
  const path = `/devices/files/${ann.orgId}/${body.id}`;
  const file = {
    name: 'x',
    description: 'd'.repeat(2_000),
    type: 'TEXT',
    monitoringFrequency: 'FOLLOW',
    rolled: false,
    modifiable: true,
    enabled: true,
  };
  const page = (from: number) =>
    Array.from({ length: 300 }, (_, n) => ({ ...file, path: `${from + n}/${'p'.repeat(4_000)}` }));
  for (const from of [0, 300]) t.equal((await ann.call('PUT', path, { files: page(from) })).status, 200);
  const over = await ann.call('PUT', path, { files: page(600) });
  t.match(over, { status: 409, body: { code: 'LIMIT_REACHED' } });
  const forced = await ann.call('PUT', `/devices/delete/${ann.orgId}/${body.id}`, { forced: true });
  t.equal(forced.status, 200, 'what shrinks still works');
});

t.test('a mail is sent only for the activation that stands', async (t) => {
  const world = await createWorld(t);
  const ann = await world.organization('Acme', 'ann@example.org');
  const last = (await world.store.find('dev_mails', { limit: 10 })).length;
  const invitation = { name: 'E', email: 'ann@example.org', type: 'ADMIN', orgId: ann.orgId };
  t.equal((await ann.call('POST', `/users/${ann.orgId}`, invitation)).status, 409);
  const bob = { ...invitation, email: 'bob@example.org' };
  t.equal((await ann.call('POST', `/users/${ann.orgId}`, bob)).status, 201);
  await world.activationOf('bob@example.org');
  t.equal((await world.store.find('dev_mails', { limit: 10 })).length, last + 1);
  // A mail leaves the outbox after the mail server took it.
  await eventually(async () => ((await world.store.count('mails')) === 0 ? true : undefined));
  t.equal((await world.store.find('dev_mails', { limit: 10 })).length, last + 1, 'and is sent once');
});
