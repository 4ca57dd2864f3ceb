import { partitionOf, TOPICS, VIEWS_FRAME } from '@sentinel-node/contracts';
import t from 'tap';
import { createPlace } from './place.ts';
import { openStream } from './sse-client.ts';
import { createWorld, DEVICE, eventually } from './world.ts';

t.test('a fresh connection starts with ready, then hears of what happens', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  const stream = await openStream(t, world, admin, orgId);
  t.equal(stream.status, 200);
  t.match(stream.headers.get('content-type'), /^text\/event-stream/);
  t.equal(stream.headers.get('cache-control'), 'no-store');
  await eventually(async () => stream.frames[0]);
  t.match(stream.frames[0], { event: 'ready', data: {}, id: /:-?\d+$/ });

  history.baseline();
  const { alerts, events } = history.breach();
  await here.write();
  const alert = await stream.next(({ event }) => event === 'alert');
  const { body: listed } = await admin.call('GET', `/alerts/${orgId}`);
  t.same(alert.data, { ...listed.alerts[0], orgId, rev: 2 }, 'the object as the list gives it');
  t.equal(alert.data.id, alerts[0]!.id);
  const event = await stream.next(({ event, data }) => event === 'event' && data.type === 'ALERT');
  t.equal(event.data.id, events[0]!.id);
  const file = await stream.next(({ event, data }) => event === 'file' && data.activeAlerts === 1);
  t.match(file.data, { id: fileId, deviceId, orgId });
  const summary = await stream.next(({ event, data }) => event === 'summary' && data.activeAlerts === 1);
  t.match(summary.data, { orgId, health: { percent: 0 } });

  await admin.call('PUT', `/devices/delete/${orgId}/${deviceId}`, { forced: true });
  const gone = await stream.next(({ event, data }) => event === 'device' && data.deleted === true);
  t.match(gone.data, { id: deviceId, orgId });
});

t.test('only the last frame of a record carries the id, and ids do not fall', async (t) => {
  const here = await createPlace(t);
  const stream = await openStream(t, here.world, here.admin, here.orgId);
  await stream.next(({ event }) => event === 'ready');
  here.history.baseline();
  for (let n = 0; n < 5; n++) {
    here.history.breach();
    await here.write();
  }
  await eventually(async () =>
    stream.frames.filter(({ event }) => event === 'alert').length === 5 ? true : undefined,
  );
  const offsets = stream.frames
    .filter(({ id }) => id !== undefined)
    .map(({ id }) => Number(id!.split(':').at(-1)));
  t.same(
    offsets,
    [...offsets].sort((a, b) => a - b),
  );
  const firstAlert = stream.frames.findIndex(({ event }) => event === 'alert');
  t.equal(stream.frames[firstAlert]!.id, undefined, 'its event follows in the same write');
});

t.test('a summary after the clock was set back is not older than the one before', async (t) => {
  const { world, admin, orgId, history, write } = await createPlace(t);
  const stream = await openStream(t, world, admin, orgId);
  history.baseline();
  await write();
  const before = await stream.next(({ event }) => event === 'summary');
  world.clock.advance(-60_000);
  history.breach();
  await write();
  const after = await stream.next(({ event, data }) => event === 'summary' && data.activeAlerts === 1);
  t.ok(after.data.rev >= before.data.rev, `${after.data.rev} after ${before.data.rev}`);
});

t.test('a file is told of at most once a second', async (t) => {
  const here = await createPlace(t);
  const stream = await openStream(t, here.world, here.admin, here.orgId);
  await stream.next(({ event }) => event === 'ready');
  here.history.baseline();
  const started = performance.now();
  for (let n = 0; n < 20; n++) {
    here.history.link();
    await here.write();
  }
  const last = new Date(here.world.clock.now() + 21).toISOString();
  await stream.next(({ event, data }) => event === 'file' && data.lastContact === last);
  const seconds = (performance.now() - started) / 1_000;
  const told = stream.frames.filter(({ event }) => event === 'file').length;
  t.ok(told <= Math.ceil(seconds) + 1, `${told} in ${seconds} s`);
});

t.test('a client that comes back gets what it missed', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, history } = here;
  const first = await openStream(t, world, admin, orgId);
  const { id } = await first.next(({ event }) => event === 'ready');
  first.close();
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const again = await openStream(t, world, admin, orgId, id);
  const missed = await again.next(({ event }) => event === 'alert');
  t.equal(missed.data.id, alert!.id);
  t.notOk(again.frames.some(({ event }) => event === 'ready'));
  const last = await eventually(async () => again.frames.findLast((frame) => frame.id !== undefined));
  history.breach('EMPTY');
  await here.write();
  const third = await openStream(t, world, admin, orgId, last.id);
  t.equal((await third.next(({ event }) => event === 'alert')).data.type, 'EMPTY');
});

t.test('a client that cannot be told what it missed is sent away, to come again', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId } = here;
  const first = await openStream(t, world, admin, orgId);
  const { id } = await first.next(({ event }) => event === 'ready');
  first.close();
  await admin.call('POST', `/devices/${orgId}`, { ...DEVICE, name: 'Missed' });
  const { bounds } = world.eventLog;
  world.eventLog.bounds = () => Promise.reject(new Error('the log cannot be read'));
  const refused = await openStream(t, world, admin, orgId, id);
  await eventually(async () => (refused.isEnded() ? true : undefined));
  t.same(refused.frames, []);
  world.eventLog.bounds = bounds.bind(world.eventLog);
  const again = await openStream(t, world, admin, orgId, id);
  await again.next(({ event, data }) => event === 'device' && data.name === 'Missed');
});

t.test('a record of the feed that cannot be read costs a resync, and no more', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId } = here;
  const other = await world.organization('Other', 'bob@example.org');
  const [stream, elsewhere] = await Promise.all([
    openStream(t, world, admin, orgId),
    openStream(t, world, other, other.orgId),
  ]);
  const { id } = await stream.next(({ event }) => event === 'ready');
  const body = Buffer.from(JSON.stringify({ v: 2, orgId, news: [] }));
  await world.eventLog.append(TOPICS.feed, [{ key: orgId, id: 'of a later version', body }]);
  await stream.next(({ event }) => event === 'resync');
  for (const [person, of] of [
    [admin, orgId],
    [other, other.orgId],
  ] as const)
    await person.call('POST', `/devices/${of}`, { ...DEVICE, name: 'Afterwards' });
  for (const one of [stream, elsewhere])
    await one.next(({ event, data }) => event === 'device' && data.name === 'Afterwards');
  t.notOk(elsewhere.frames.some(({ event }) => event === 'resync'));
  const again = await openStream(t, world, admin, orgId, id);
  await again.next(({ event }) => event === 'resync');
  t.same(world.query.notReady(), []);
});

t.test('a foreign epoch, an offset not reached yet and nonsense get one resync', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, history } = here;
  const fresh = await openStream(t, world, admin, orgId);
  const { id } = await fresh.next(({ event }) => event === 'ready');
  const ahead = `${id!.slice(0, id!.lastIndexOf(':'))}:999999`;
  const streams = await Promise.all(
    ['elsewhere:3', ahead, 'nonsense'].map((lastEventId) => openStream(t, world, admin, orgId, lastEventId)),
  );
  for (const stream of streams) t.equal((await stream.next(({ event }) => event === 'resync')).id, id);
  history.baseline();
  history.breach();
  await here.write();
  for (const stream of streams) {
    await stream.next(({ event }) => event === 'alert');
    t.same(
      stream.frames.filter(({ event }) => event === 'resync' || event === 'ready').map(({ event }) => event),
      ['resync'],
    );
  }
});

t.test('each hears what its role may, of its own organisation only', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId } = here;
  const regular = await world.member(admin, 'rita@example.org', 'REGULAR');
  const other = await world.organization('Other', 'bob@example.org');
  t.equal((await openStream(t, world, other, orgId)).status, 404);
  t.equal((await openStream(t, world, { ...other, token: 'none' }, orgId)).status, 401);
  const [ofAdmin, ofRegular, ofOther] = await Promise.all([
    openStream(t, world, admin, orgId),
    openStream(t, world, regular, orgId),
    openStream(t, world, other, other.orgId),
  ]);
  for (const stream of [ofAdmin, ofRegular, ofOther]) await stream.next(({ event }) => event === 'ready');
  await admin.call('PUT', `/orgs/${orgId}`, { stripeId: 'cus_1' });
  await admin.call('POST', `/devices/${orgId}`, { ...DEVICE, name: 'Second' });
  await ofAdmin.next(({ event, data }) => event === 'organization' && data.stripeId === 'cus_1');
  await ofAdmin.next(({ event, data }) => event === 'user' && data.emailAddress === 'rita@example.org');
  const plain = await ofRegular.next(({ event }) => event === 'organization');
  t.notOk('stripeId' in plain.data);
  await ofRegular.next(({ event, data }) => event === 'device' && data.name === 'Second');
  const users = ofRegular.frames.filter(({ event }) => event === 'user').map(({ data }) => data.emailAddress);
  t.strictSame(
    users.filter((email) => email !== 'rita@example.org'),
    [],
  );
  // What it could have heard of the other organisation comes before a later change of its own.
  await other.call('PUT', `/orgs/${other.orgId}`, { stripeId: 'cus_2' });
  await ofOther.next(({ event, data }) => event === 'organization' && data.stripeId === 'cus_2');
  const received = ofOther.frames.filter(({ event }) => event !== 'ready' && event !== VIEWS_FRAME);
  t.strictSame(
    received.filter(({ data }) => !JSON.stringify(data).includes(other.orgId)),
    [],
  );
  t.notMatch(JSON.stringify(received), orgId);
});

t.test('everybody hears which user was deleted, and no more of the user', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId } = here;
  const regular = await world.member(admin, 'rita@example.org', 'REGULAR');
  const leaver = await world.member(admin, 'noor@example.org', 'REGULAR');
  const streams = await Promise.all([
    openStream(t, world, admin, orgId),
    openStream(t, world, regular, orgId),
  ]);
  for (const stream of streams) await stream.next(({ event }) => event === 'ready');
  await admin.call('DELETE', `/users/${orgId}/${leaver.userId}`);
  for (const stream of streams) {
    const { data } = await stream.next(({ event, data }) => event === 'user' && data.id === leaver.userId);
    t.strictSame(Object.keys(data).toSorted(), ['deleted', 'id', 'orgId', 'rev']);
    t.equal(data.deleted, true);
  }
  t.notMatch(JSON.stringify(streams[1].frames), /noor@example/);
});

t.test('a stream ends with the session', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId } = here;
  const regular = await world.member(admin, 'rita@example.org', 'REGULAR');
  const streams = await Promise.all([
    openStream(t, world, admin, orgId),
    openStream(t, world, regular, orgId),
  ]);
  for (const stream of streams) await stream.next(({ event }) => event === 'ready');
  await admin.call('DELETE', `/users/${orgId}/${regular.userId}`);
  await eventually(async () => (streams[1].isEnded() ? true : undefined));
  t.notOk(streams[1].frames.some(({ event, data }) => event === 'user' && data.deleted === true));
  t.notOk(streams[0].isEnded());
  await admin.call('POST', '/logout');
  await eventually(async () => (streams[0].isEnded() ? true : undefined));
  t.pass('both ended');
});

t.test('records of the feed that are lost cost every client one resync', async (t) => {
  const world = await createWorld(t, {}, {}, { volatileRecords: 20 });
  const admin = await world.organization('Acme', 'ada@example.org');
  const other = await world.organization('Other', 'bob@example.org');
  const streams = await Promise.all(
    [admin, other].map((person) => openStream(t, world, person, person.orgId)),
  );
  for (const stream of streams) await stream.next(({ event }) => event === 'ready');
  // More at once than the window keeps, as after the loss of an end of the topic.
  const lost = Array.from({ length: 60 }, (_, n) => ({
    key: admin.orgId,
    id: `lost ${n}`,
    body: Buffer.from(JSON.stringify({ v: 1, orgId: admin.orgId, items: [] })),
  }));
  await world.eventLog.append(TOPICS.feed, lost);
  for (const person of [admin, other])
    await person.call('POST', `/devices/${person.orgId}`, { ...DEVICE, name: 'Afterwards' });
  for (const stream of streams)
    await stream.next(({ event, data }) => event === 'device' && data.name === 'Afterwards');
  const { length: partitions } = await world.eventLog.bounds(TOPICS.feed);
  const isSame = partitionOf(admin.orgId, partitions) === partitionOf(other.orgId, partitions);
  t.same(
    streams.map(({ frames }) => frames.filter(({ event }) => event === 'resync').length),
    [1, isSame ? 1 : 0],
  );
});
