/** Tests filters, counts, groups, assignment, comments and saved views over HTTP. */
import { LIMITS, NOBODY } from '@sentinel-node/contracts';
import { silentLog, type DocumentStore } from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import t, { type Test } from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { KEPT_ALERTS, KeptAlerts } from '../src/alerts/index.ts';
import { readAlerts } from '../src/alerts/list-alerts.ts';
import { rebuildViews, VIEWS } from '../src/views/index.ts';
import { createPlace } from './place.ts';
import { verifyClaims } from './small-verifier.ts';
import { openStream } from './sse-client.ts';
import { everything, scratch } from './view-scratch.ts';
import { eventually, untilShown, type Answer } from './world.ts';

/** Creates three alerts: two of one file with different content, and a dismissed one. */
async function place(t: Test) {
  const here = await createPlace(t);
  const { history, admin, orgId, deviceId, world } = here;
  const bob = await world.member(admin, 'bob@example.org', 'REGULAR');
  history.baseline();
  const raised = [history.breach(), history.breach('UNEXPECTED_CHANGE'), history.breach()].map(
    ({ alerts, entries }) => ({ id: alerts[0]!.id, hash: entries[0]!.contentHash! }),
  );
  await here.write();
  await verifyClaims(t, world.eventLog, history);
  const [oldest] = raised;
  const path = `/alerts/turnoff/${orgId}/${deviceId}/${here.fileId}/${oldest!.id}`;
  const dismiss = { note: 'planned', status: 'RESOLVED' };
  t.equal((await untilShown(() => bob.call('PUT', path, dismiss))).status, 200);
  return { ...here, bob, raised: raised as [Raised, Raised, Raised] };
}
type Raised = { readonly id: string; readonly hash: string };

const idsOf = ({ body }: Answer): string[] => body.alerts.map(({ id }: { id: string }) => id);

t.test('filters, and how many alerts each value leaves', async (t) => {
  const { admin, bob, orgId, deviceId, fileId, raised } = await place(t);
  const [dismissed, changed, breached] = raised;
  const list = async (query: string) => idsOf(await admin.call('GET', `/alerts/${orgId}?${query}`));
  t.strictSame(await list('type=UNEXPECTED_CHANGE'), [changed.id]);
  t.strictSame(await list('category=STANDARD&limit=2'), [breached.id, changed.id]);
  t.strictSame(await list(`category=STANDARD&lastId=${changed.id}`), [dismissed.id]);
  t.strictSame(await list('category=ADVANCED'), []);
  t.strictSame(await list(`fileId=${fileId}&status=ACTIVE`), [breached.id, changed.id]);
  t.strictSame(await list(`handledBy=${bob.userId}`), [dismissed.id]);
  t.strictSame(await list(`contentHash=${changed.hash}`), [changed.id]);
  t.strictSame(await list(`assignee=${NOBODY}&search=hash%20breach`), [breached.id, dismissed.id]);
  t.equal((await admin.call('GET', `/alerts/${orgId}?handledBy=ada`)).status, 422);
  const csv = { accept: 'text/csv' };
  const exported = await admin.call(
    'GET',
    `/alerts/${orgId}?toExport=true&type=UNEXPECTED_CHANGE`,
    undefined,
    csv,
  );
  t.equal(
    String(exported.body).match(/UNEXPECTED_CHANGE|HASH_BREACH/g)?.length,
    1,
    'an export has what the list has',
  );

  const { body } = await admin.call('GET', `/alerts/counts/${orgId}?status=ACTIVE`);
  const named = (value: string, alerts: number, name = value) => ({ value, name, alerts });
  t.strictSame(body, {
    alerts: 2,
    status: [named('ACTIVE', 2), named('RESOLVED', 1)],
    type: [named('HASH_BREACH', 1), named('UNEXPECTED_CHANGE', 1)],
    category: [named('STANDARD', 2)],
    deviceId: [named(deviceId, 2, 'Server 1')],
    fileId: [named(fileId, 2, 'Log')],
    handledBy: [],
    assignee: [named(NOBODY, 2)],
    planned: [named('no', 2)],
    window: [],
    expected: [named('no', 2)],
    list: [],
  });
  const all = await admin.call('GET', `/alerts/counts/${orgId}?timestampFrom=2020-01-01T00:00:00.000Z`);
  matchWhole(t, all.body, { alerts: 3, handledBy: [named(bob.userId, 1, 'bob@example.org')] });
  const before = await admin.call('GET', `/alerts/counts/${orgId}?timestampTo=2020-01-01T00:00:00.000Z`);
  matchWhole(t, before.body, { alerts: 0, status: [] });
});

t.test('groups, and new alerts in them', async (t) => {
  const here = await place(t);
  const { admin, orgId, raised, history, fileId } = here;
  const groups = async (query: string) => (await admin.call('GET', `/alerts/groups/${orgId}?${query}`)).body;
  matchWhole(t, await groups('by=TYPE'), {
    groups: [
      { key: 'HASH_BREACH', name: 'HASH_BREACH', alerts: 2, active: 1, devices: 1, files: 1 },
      { key: 'UNEXPECTED_CHANGE', alerts: 1, active: 1 },
    ],
    total: 2,
  });
  matchWhole(t, await groups('by=FILE&status=ACTIVE'), {
    groups: [{ key: fileId, name: 'Log', deviceName: 'Server 1', alerts: 2 }],
    total: 1,
  });
  const changes = await groups('by=CHANGE&skip=1&limit=1');
  t.equal(changes.total, 3);
  t.strictSame(
    changes.groups.map(({ key }: { key: string }) => key),
    [raised[1].hash],
  );
  t.equal((await admin.call('GET', `/alerts/groups/${orgId}?by=HASH`)).status, 422);
  history.breach('EMPTY');
  await here.write();
  const found = await eventually(async () => {
    const { groups: now } = await groups('by=TYPE&type=EMPTY');
    return now.length > 0 ? now : undefined;
  });
  matchList(t, found, [{ key: 'EMPTY', alerts: 1 }]);
});

t.test('an alert is assigned and commented, and its history says by whom', async (t) => {
  const { admin, bob, orgId, deviceId, fileId, raised, world } = await place(t);
  const [dismissed, alert] = raised;
  const one = `${orgId}/${deviceId}/${alert.id}`;
  const assign = (who: typeof admin, ids: string[], userId: string | null) =>
    who.call('PUT', `/alerts/assign/${orgId}`, { ids, userId });

  world.clock.advance(60_000);
  const before = await admin.call('GET', `/alerts/${one}`);
  for (const who of [admin, bob]) {
    const left = await assign(who, [alert.id, dismissed.id, 'unknown'], null);
    const statuses = left.body.answers.map(({ status }: { status: number }) => status);
    t.strictSame(statuses, [200, 200, 404], 'nobody has them already');
  }
  const taken = await assign(bob, [alert.id, 'unknown', dismissed.id], bob.userId);
  t.strictSame(taken.body.answers, [
    { id: alert.id, status: 200, code: null },
    { id: 'unknown', status: 404, code: 'NOT_FOUND' },
    { id: dismissed.id, status: 200, code: null },
  ]);
  const { users } = (await admin.call('GET', `/users/${orgId}`)).body;
  const ada = users.find(({ role }: { role: string }) => role === 'ADMIN');
  const away = await assign(bob, [alert.id], ada.id);
  matchList(t, away.body.answers, [{ status: 403, code: 'FORBIDDEN' }]);
  matchWhole(t, (await assign(admin, [alert.id], orgId)).body, { errors: [{ path: '/userId' }] });
  const mine = await bob.call('GET', `/alerts/${orgId}?assignee=${bob.userId}&status=ACTIVE`);
  t.strictSame(idsOf(mine), [alert.id]);
  const searched = (text: string) => bob.call('GET', `/alerts/${orgId}?search=${text}`);
  t.strictSame(idsOf(await searched('BOB@example')), [alert.id, dismissed.id], 'the table shows who has it');
  t.strictSame(idsOf(await searched('carol@example')), []);

  world.clock.advance(1);
  const text = '<img src=x onerror=alert(1)> ü 😀\nnext line';
  const commented = await admin.call('POST', `/alerts/comments/${one}`, { text });
  t.equal(commented.status, 200);
  const after = await admin.call('GET', `/alerts/${one}`);
  t.match(after.body, { assignee: { userId: bob.userId, email: 'bob@example.org' }, comments: 1 });
  t.not(after.headers['etag'], before.headers['etag'], 'another state has another tag');
  const { body } = await bob.call('GET', `/alerts/history/${one}`);
  matchList(t, body.history, [
    { kind: 'COMMENTED', by: 'ada@example.org', text, to: [] },
    { kind: 'ASSIGNED', by: 'bob@example.org', text: null, to: ['bob@example.org'] },
    { kind: 'RAISED', by: null },
  ]);
  t.strictSame(commented.body, body);
  const handled = await bob.call('GET', `/alerts/history/${orgId}/${deviceId}/${dismissed.id}`);
  const kinds = handled.body.history.map(({ kind }: { kind: string }) => kind);
  t.strictSame(kinds.sort(), ['ASSIGNED', 'DISMISSED', 'RAISED']);

  const told = await eventually(async () => {
    const { body: found } = await admin.call('GET', `/events/${orgId}/${deviceId}/${fileId}`);
    const own = found.events.find(({ type }: { type: string }) => type === 'COMMENT_ALERT');
    return own;
  });
  t.match(told, { alertId: alert.id, note: JSON.stringify({ by: 'ada@example.org', comment: text }) });
  const tooLong = await admin.call('POST', `/alerts/comments/${one}`, {
    text: 'x'.repeat(LIMITS.commentCharacters + 1),
  });
  t.equal(tooLong.status, 422);
  t.equal((await admin.call('POST', `/alerts/comments/${one}`, { text: '  ' })).status, 422);
  const other = await world.organization('Other', 'oda@example.org');
  t.equal((await other.call('POST', `/alerts/comments/${one}`, { text: 'mine?' })).status, 404);
  t.equal((await other.call('GET', `/alerts/history/${other.orgId}/${deviceId}/${alert.id}`)).status, 404);
  const outside = await assign(other, [alert.id], null);
  t.equal(outside.status, 404, 'the path is of another organisation');
});

t.test('an alert of a deleted user has nobody, and anybody can take it', async (t) => {
  const { admin, bob, orgId, deviceId, raised, world } = await place(t);
  const carol = await world.member(admin, 'carol@example.org', 'REGULAR');
  const [, kept, taken] = raised;
  const assign = (who: typeof admin, userId: string | null, ids = [kept.id, taken.id]) =>
    who.call('PUT', `/alerts/assign/${orgId}`, { ids, userId });
  matchList(t, (await assign(bob, bob.userId)).body.answers, [{ status: 200 }, { status: 200 }]);
  const free = async () =>
    idsOf(await carol.call('GET', `/alerts/${orgId}?assignee=${NOBODY}&status=ACTIVE`));
  t.strictSame(await free(), []);
  const read = () => carol.call('GET', `/alerts/${orgId}/${deviceId}/${kept.id}`);
  const before = await read();
  matchList(t, (await assign(carol, carol.userId)).body.answers, [{ status: 403 }, { status: 403 }]);

  t.equal((await admin.call('DELETE', `/users/${orgId}/${bob.userId}`)).status, 200);
  await eventually(async () => ((await free()).length === 2 ? true : undefined));
  const after = await read();
  t.notOk('assignee' in after.body);
  t.not(after.headers['etag'], before.headers['etag']);
  t.strictSame(idsOf(await carol.call('GET', `/alerts/${orgId}?search=bob@example.org&status=ACTIVE`)), []);
  const { body } = await admin.call('GET', `/alerts/counts/${orgId}?status=ACTIVE`);
  t.strictSame(body.assignee, [{ value: NOBODY, name: NOBODY, alerts: 2 }]);
  matchList(t, (await assign(carol, carol.userId, [taken.id])).body.answers, [{ status: 200 }]);
  matchList(t, (await assign(carol, null, [kept.id])).body.answers, [{ status: 200 }]);
  const again = await read();
  t.not(again.headers['etag'], after.headers['etag']);
  t.strictSame(await free(), [kept.id]);
});

t.test(
  'an organisation with more alerts than are kept has filters, and says that it has no counts',
  async (t) => {
    const { world, orgId, raised } = await place(t);
    const limits = { alerts: 2, loadsAtOnce: 2, renewedEveryMs: 600_000 };
    const keptAlerts = new KeptAlerts({ ...world, log: { warn: () => undefined } as never }, limits);
    keptAlerts.confirmBy(async () => true);
    t.equal(await keptAlerts.get(orgId), undefined);
    const context = { ...world, keptAlerts };
    const found = await readAlerts(context, { orgId }, { type: 'HASH_BREACH', search: 'log' });
    t.strictSame(
      found.alerts.map(({ id }) => id),
      [raised[2].id, raised[0].id],
    );
    t.equal(keptAlerts.used, 0);
    const count = world.store.count.bind(world.store);
    t.teardown(() => void (world.store.count = count));
    const asked: string[] = [];
    // Mails and webhooks are counted at times of their own.
    world.store.count = (name, where) => {
      if (name !== VIEWS.alerts) return count(name, where);
      asked.push(name);
      return Promise.resolve(0);
    };
    world.clock.advance(limits.renewedEveryMs - 1);
    t.equal(await keptAlerts.get(orgId), undefined);
    t.strictSame(asked, [], 'not read again for a while');
    world.clock.advance(1);
    t.equal(await keptAlerts.get(orgId), undefined);
    t.strictSame(asked, [VIEWS.alerts], 'but after that');
  },
);

t.test('an organisation with too many alerts is counted and not read', async (t) => {
  const { world, orgId } = await place(t);
  const limits = { alerts: 2, loadsAtOnce: 2, renewedEveryMs: 600_000 };
  const found: string[] = [];
  const store = {
    count: world.store.count.bind(world.store),
    find: (name: string) => {
      found.push(name);
      throw new Error('was not expected');
    },
  };
  const deps = { ...world, store: store as never, log: { warn: () => undefined } as never };
  t.equal(await new KeptAlerts(deps, limits).get(orgId), undefined);
  t.strictSame(found, []);
});

t.test('an organisation of which much changes and nothing is read is dropped', async (t) => {
  const { world, orgId } = await place(t);
  const keptAlerts = new KeptAlerts({ ...world, log: { warn: () => undefined } as never });
  keptAlerts.confirmBy(async () => true);
  const note = (from: number, ids: number): void =>
    keptAlerts.noteChanges(
      orgId,
      Array.from({ length: ids }, (_, n) => ({ kind: 'alert' as const, id: `${from + n}` })),
    );
  t.equal((await keptAlerts.get(orgId))?.size, 3);
  note(0, 5_000);
  t.equal(keptAlerts.used, 3);
  t.equal((await keptAlerts.get(orgId))?.size, 3);
  note(5_000, 5_000);
  t.equal(keptAlerts.used, 3, 'a read takes what was noted');
  note(10_000, 1);
  t.equal(keptAlerts.used, 0);
  t.equal((await keptAlerts.get(orgId))?.size, 3);
});

t.test('what is not heard in time is read anew', async (t) => {
  const { world, orgId, raised, history, write } = await place(t);
  const keptAlerts = new KeptAlerts({ ...world, log: { warn: () => undefined } as never });
  t.equal((await keptAlerts.get(orgId))?.size, 3);
  let isSure = true;
  keptAlerts.confirmBy(async () => isSure);
  t.equal((await keptAlerts.get(orgId))?.size, 3);
  t.equal(keptAlerts.used, 3);
  const [raisedNow] = history.breach('EMPTY').alerts;
  await write();
  t.equal((await keptAlerts.get(orgId))?.size, 3, 'nobody told of it');
  keptAlerts.noteChanges(orgId, [{ kind: 'alert', id: raisedNow!.id }]);
  t.equal((await keptAlerts.get(orgId))?.size, 4);
  keptAlerts.drop(orgId);
  t.equal(keptAlerts.used, 0);
  t.equal((await keptAlerts.get(orgId))?.size, 4);
  isSure = false;
  t.strictSame((await keptAlerts.get(orgId))?.ids({ type: 'UNEXPECTED_CHANGE' }, {}, 9), [raised[1].id]);
});

/** A store without alerts; each count, with which a load begins, waits until it is let go. */
function heldStore() {
  const begun: (() => void)[] = [];
  const count = () => new Promise<number>((resolve) => void begun.push(() => resolve(0)));
  return { begun, store: { count, find: async () => [] } as unknown as DocumentStore };
}

t.test('reads at once share their loads while the feed is not heard', async (t) => {
  const { begun, store } = heldStore();
  const keptAlerts = new KeptAlerts({ store, clock: new ManualClock(0), log: silentLog() });
  const reads = Array.from({ length: 5 }, () => keptAlerts.get('org'));
  const first = await eventually(async () => begun[0]);
  t.equal(begun.length, 1, 'the others wait for it, and then load once');
  first();
  const second = await eventually(async () => begun[1]);
  second();
  t.equal((await Promise.all(reads)).length, 5);
  t.equal(begun.length, 2);
});

t.test('a load keeps its place until its end, also when its organisation was dropped', async (t) => {
  const { begun, store } = heldStore();
  const limits = { ...KEPT_ALERTS, loadsAtOnce: 1 };
  const keptAlerts = new KeptAlerts({ store, clock: new ManualClock(0), log: silentLog() }, limits);
  const reading = keptAlerts.get('org');
  const finish = await eventually(async () => begun[0]);
  keptAlerts.drop('org');
  keptAlerts.dropAll();
  await t.rejects(keptAlerts.get('other'), { code: 'OVERLOADED' });
  finish();
  t.equal((await reading)?.size, 0);
  t.equal(keptAlerts.used, 0, 'what was dropped meanwhile is not kept');
});

t.test('a person keeps views of the list, and nobody else sees them', async (t) => {
  const { world, admin, orgId } = await createPlace(t);
  const bob = await world.member(admin, 'bob@example.org', 'REGULAR');
  const path = `/alerts/views/${orgId}`;
  const views = [{ name: 'Missing <b>', query: 'type=EMPTY' }];
  const none = await bob.call('GET', path);
  t.strictSame(none.body, { views: [] });
  const saved = await bob.call('PUT', path, { views }, { 'if-match': String(none.headers['etag']) });
  t.strictSame([saved.status, saved.body], [200, { views }]);
  t.strictSame((await bob.call('GET', path)).body, { views });
  t.strictSame((await admin.call('GET', path)).body, { views: [] });
  const stale = await bob.call('PUT', path, { views: [] }, { 'if-match': String(none.headers['etag']) });
  t.match(stale, { status: 409, body: { code: 'STALE' } });
  const twice = [...views, { name: ' missing <B>', query: '' }];
  matchWhole(t, await bob.call('PUT', path, { views: twice }), {
    status: 422,
    body: { errors: [{ path: '/views/1/name' }] },
  });
  const many = Array.from({ length: LIMITS.savedViews + 1 }, (_, n) => ({ name: `View ${n}`, query: '' }));
  t.equal((await bob.call('PUT', path, { views: many })).status, 422);
  t.equal((await admin.call('DELETE', `/users/${orgId}/${bob.userId}`)).status, 200);
  await eventually(async () => ((await world.store.count('saved_views')) === 0 ? true : undefined));
});

t.test('open consoles hear of assignments and comments, and a rebuild gives the same', async (t) => {
  const { world, admin, bob, orgId, deviceId, raised } = await place(t);
  const [, alert] = raised;
  const stream = await openStream(t, world, admin, orgId);
  await stream.next(({ event }) => event === 'ready');
  const isIt = (event: string, id: unknown): boolean => event === 'alert' && id === alert.id;
  await bob.call('PUT', `/alerts/assign/${orgId}`, { ids: [alert.id], userId: bob.userId });
  const assigned = await stream.next(
    ({ event, data }) => isIt(event, data.id) && data.assignee !== undefined,
  );
  await bob.call('POST', `/alerts/comments/${orgId}/${deviceId}/${alert.id}`, { text: 'I look at it.' });
  const commented = await stream.next(({ event, data }) => isIt(event, data.id) && data.comments === 1);
  t.match(commented.data, { assignee: { email: 'bob@example.org' } });
  t.ok(commented.data.rev > assigned.data.rev, 'a later state has a higher revision');
  const told = await stream.next(({ event, data }) => event === 'event' && data.type === 'COMMENT_ALERT');
  t.equal(told.data.alertId, alert.id);

  const rebuilt = await (await scratch(t)).open('rebuilt.db');
  await rebuildViews(world.eventLog, rebuilt);
  const [found, expected] = [await everything(rebuilt), await everything(world.store)];
  for (const view of ['alert_work', 'alert_history']) {
    t.ok(expected[view]!.length > 0);
    t.same(found[view], expected[view], view);
  }
});
