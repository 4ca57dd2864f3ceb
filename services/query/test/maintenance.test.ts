/** Tests maintenance windows over HTTP: their alerts are marked, set aside and reviewed. */
import { LIMITS } from '@sentinel-node/contracts';
import type { CollectionName, Stored } from '@sentinel-node/platform';
import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { surveyOf } from '../src/dashboard/survey.ts';
import { summaryOf } from '../src/dashboard/summary.ts';
import { rebuildViews, VIEWS } from '../src/views/index.ts';
import { FileHistory, appendChain } from './chain-records.ts';
import { createPlace } from './place.ts';
import { everything, scratch } from './view-scratch.ts';
import { DEVICE, eventually, FILE, type Answer } from './world.ts';

const HOUR_MS = 3_600_000;
const idsOf = ({ body }: Answer): string[] => body.alerts.map(({ id }: { id: string }) => id);

async function place(t: Test) {
  const here = await createPlace(t);
  const { admin, orgId, world, history, deviceId } = here;
  history.baseline();
  const inHours = (hours: number): string => new Date(world.clock.now() + hours * HOUR_MS).toISOString();
  const open = (scope: object = { deviceIds: [deviceId] }, more: object = {}) =>
    admin.call('POST', `/maintenance/${orgId}`, { reason: 'Update', scope, end: inHours(2), ...more });
  /** Raises an alert now. */
  const raise = async (): Promise<string> => {
    world.clock.advance(1_000);
    history.passTo(world.clock.now());
    const [alert] = history.breach().alerts;
    await here.write();
    world.clock.advance(1_000);
    return alert!.id;
  };
  const list = async (query: string): Promise<string[]> =>
    idsOf(await admin.call('GET', `/alerts/${orgId}?${query}`));
  const dashboard = async () => {
    const { body } = await admin.call('GET', `/dashboard/${orgId}`);
    const { health, activeAlerts, setAside, windowsToReview } = body;
    const survey = summaryOf(await surveyOf(world.store, orgId, world.clock.now()));
    t.match(survey, { health, activeAlerts, setAside }, 'memory and store say the same');
    return { percent: health.percent, activeAlerts, planned: setAside.planned, windowsToReview };
  };
  const windows = async (query = '') => (await admin.call('GET', `/maintenance/${orgId}${query}`)).body;
  return { ...here, inHours, open, raise, list, dashboard, windows };
}

t.test('alerts of a window are marked and set aside until it is reviewed', async (t) => {
  const here = await place(t);
  const { admin, orgId, deviceId, fileId, world, history, raise, list, dashboard, windows } = here;
  const before = await raise();
  t.strictSame(await dashboard(), { percent: 0, activeAlerts: 1, planned: 0, windowsToReview: 0 });
  const made = await here.open();
  t.equal(made.status, 201);
  const windowId = made.body.id as string;
  const planned = await raise();
  t.strictSame(await list('planned=yes'), [planned]);
  t.strictSame(await list('planned=no'), [before], 'what was there before stays as it was');
  t.strictSame(await list('search=planned'), [planned], 'the table shows the word');
  t.strictSame(await list('search=expected'), []);
  t.strictSame(await list(`window=${windowId}&status=ACTIVE`), [planned]);
  const shown = await admin.call('GET', `/alerts/${orgId}/${deviceId}/${planned}`);
  t.strictSame(shown.body.planned, { windowId, reason: 'Update', reviewed: false });
  const counts = (await admin.call('GET', `/alerts/counts/${orgId}`)).body;
  matchWhole(t, counts, {
    planned: [
      { value: 'no', alerts: 1 },
      { value: 'yes', alerts: 1 },
    ],
  });
  t.strictSame(counts.window, [{ value: windowId, name: 'Update', alerts: 1 }]);
  t.strictSame(await dashboard(), { percent: 0, activeAlerts: 1, planned: 1, windowsToReview: 0 });
  const groups = await admin.call('GET', `/alerts/groups/${orgId}?by=CHANGE&window=${windowId}`);
  t.equal(groups.body.total, 1);

  const dismiss = (ids: string[]) =>
    admin.call('PUT', `/alerts/turnoff/${orgId}`, { ids, note: 'no', status: 'RESOLVED' });
  t.equal((await dismiss([])).status, 422);
  world.clock.advance(2 * HOUR_MS);
  matchWhole(t, await windows('?toReview=true'), {
    windows: [{ id: windowId, state: 'ENDED' }],
    toReview: 1,
  });
  t.match(await dashboard(), { windowsToReview: 1 });
  const after = await raise();
  t.strictSame(await list('planned=no'), [after, before]);

  const review = await admin.call('PUT', `/maintenance/review/${orgId}/${windowId}`, { note: 'As planned.' });
  t.match(review, { status: 200, body: { state: 'REVIEWED', review: { by: 'ada@example.org' } } });
  t.strictSame(
    await dashboard(),
    { percent: 0, activeAlerts: 3, planned: 0, windowsToReview: 0 },
    'what the review left open asks for attention',
  );
  t.strictSame(await list('planned=yes'), [planned], 'the mark stays');
  matchWhole(t, await windows('?toReview=true'), { windows: [], toReview: 0 });
  const { events } = (await admin.call('GET', `/events/${orgId}/${deviceId}`)).body;
  const told = events.filter(({ type }: { type: string }) => type.endsWith('_MAINTENANCE'));
  t.strictSame(
    told.map(({ type, note }: { type: string; note: string }) => [type, JSON.parse(note).by]),
    [
      ['REVIEW_MAINTENANCE', 'ada@example.org'],
      ['OPEN_MAINTENANCE', 'ada@example.org'],
    ],
  );
  t.equal(history.key.fileId, fileId);

  const { open } = await scratch(t);
  const rebuilt = await open('rebuilt');
  await rebuildViews(world.eventLog, rebuilt);
  const [held, anew] = [await everything(world.store), await everything(rebuilt)];
  for (const name of ['maintenance', 'past_states', 'events']) t.strictSame(anew[name], held[name], name);
  const survey = summaryOf(await surveyOf(rebuilt, orgId, world.clock.now()));
  t.match(survey, { activeAlerts: 3, setAside: { planned: 0 } });
});

t.test('an alert that goes on after the window asks for attention', async (t) => {
  const { open, raise, list, dashboard, history, world, write } = await place(t);
  await open();
  const id = await raise();
  t.match(await dashboard(), { percent: 100, activeAlerts: 0, planned: 1 });
  world.clock.advance(3 * HOUR_MS);
  history.passTo(world.clock.now());
  history.again(id);
  await write();
  t.match(await dashboard(), { percent: 0, activeAlerts: 1, planned: 0 });
  t.strictSame(await list('planned=yes'), []);
});

t.test('an alert that occurs again while its mark is worked out stays set aside', async (t) => {
  const { open, raise, dashboard, history, world, write } = await place(t);
  await open();
  t.match(await dashboard(), { activeAlerts: 0, planned: 0 });
  const id = await raise();
  const getMany = world.store.getMany.bind(world.store);
  let reads = 0;
  world.store.getMany = async <T extends Stored>(collection: CollectionName<T>, ids: readonly string[]) => {
    const found = await getMany(collection, ids);
    if (String(collection) === VIEWS.alerts && ids.includes(id) && reads++ === 0) {
      history.again(id);
      await write();
    }
    return found;
  };
  t.match(await dashboard(), { percent: 100, activeAlerts: 0, planned: 1 });
  t.ok(reads > 1, `the alert was read ${reads} times`);
});

t.test('labels count as they were when the alert was raised', async (t) => {
  const { admin, orgId, deviceId, world, open, raise, list, dashboard } = await place(t);
  const { name, path, healthInterval, category } = DEVICE;
  const label = (labels: string[]) => {
    world.clock.advance(1_000);
    const body = { name, path, healthInterval, category, enabled: true, labels };
    return admin.call('PUT', `/devices/${orgId}/${deviceId}`, body);
  };
  await open({ labels: ['site:graz'] });
  const without = await raise();
  await label(['site:graz']);
  const labelled = await raise();
  t.strictSame(await list('planned=yes'), [labelled]);
  await label(['site:linz']);
  await label(['site:wien']);
  const again = await raise();
  t.strictSame(await list('planned=yes'), [labelled]);
  t.strictSame(await list('planned=no'), [again, without]);
  t.match(await dashboard(), { activeAlerts: 2, planned: 1 });
  const { events } = (await admin.call('GET', `/events/${orgId}`)).body;
  const told = events.find(({ type }: { type: string }) => type === 'OPEN_MAINTENANCE');
  t.match(told, { deviceId: null });
});

t.test('what happened just before a window was heard of is marked nevertheless', async (t) => {
  const { admin, orgId, world, open, dashboard, list, deviceId } = await place(t);
  t.match(await dashboard(), { activeAlerts: 0 });
  t.strictSame(await list('planned=yes'), []);
  world.clock.advance(1_000);
  // The alert's time is in the window, but the alert is written first.
  const added = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, {
    files: [{ ...FILE, path: 'other.log' }],
  });
  const fileId = added.body.files[1].id as string;
  const other = new FileHistory({ orgId, deviceId, fileId }, world.clock.now());
  const [alert] = other.breach().alerts;
  await appendChain(world.eventLog, other.records);
  await eventually(async () => ((await dashboard()).activeAlerts === 1 ? true : undefined));
  t.strictSame(await list('planned=no'), [alert!.id]);
  await open();
  await eventually(async () => ((await list('planned=yes')).length === 1 ? true : undefined));
  t.match(await dashboard(), { activeAlerts: 0, planned: 1 });
});

t.test('bad windows are refused, clearly', async (t) => {
  const { admin, orgId, open, inHours, deviceId, fileId } = await place(t);
  const unknown = '019aa5f0-7c00-7a10-8000-0000000000ff';
  const weekly = { days: ['SUN'], from: '02:30', minutes: 60, timeZone: 'Europe/Vienna' };
  const cases: readonly [object, object, string][] = [
    [{}, {}, '/scope'],
    [{ deviceIds: [deviceId, unknown] }, {}, '/scope/deviceIds/1'],
    [{ fileIds: [unknown] }, {}, '/scope/fileIds/0'],
    [{ everything: true }, { end: undefined }, '/end'],
    [{ everything: true }, { start: inHours(3) }, '/end'],
    [{ everything: true }, { end: inHours(31 * 24) }, '/end'],
    [{ everything: true }, { weekly: { ...weekly, timeZone: 'Vienna' } }, '/weekly/timeZone'],
    [{ everything: true }, { weekly: { ...weekly, from: '24:00' } }, '/weekly/from'],
    [{ everything: true }, { weekly: { ...weekly, days: ['MON'] } }, '/weekly/days'],
    [{ labels: ['graz'] }, {}, '/scope/labels/0'],
    [{ deviceIds: Array.from({ length: LIMITS.scopeItems + 1 }, () => deviceId) }, {}, '/scope/deviceIds'],
  ];
  for (const [scope, more, path] of cases) {
    const answer = await open(scope, more);
    matchWhole(t, answer, { status: 422, body: { errors: [{ path }] } }, path);
  }
  t.strictSame((await admin.call('GET', `/maintenance/${orgId}`)).body, { windows: [], toReview: 0 });
  const all = await Promise.all(Array.from({ length: 3 }, () => open({ fileIds: [fileId] })));
  t.strictSame(
    all.map(({ status }) => status),
    [201, 201, 201],
    'they may overlap',
  );
  for (let n = all.length; n < LIMITS.windowsPerOrganization; n++) await open({ everything: true });
  t.match(await open(), { status: 409, body: { code: 'LIMIT_REACHED' } });
});

t.test('windows are changed, ended, and nobody else sees them', async (t) => {
  const { admin, orgId, open, inHours, world, windows, deviceId } = await place(t);
  const { id } = (await open({ deviceIds: [deviceId] }, { start: inHours(1) })).body;
  const path = `/maintenance/${orgId}/${id}`;
  matchWhole(t, (await admin.call('GET', path)).body, {
    state: 'PLANNED',
    scope: { deviceIds: [deviceId] },
    changes: 0,
  });
  world.clock.advance(HOUR_MS);
  const changed = await admin.call('PUT', path, {
    reason: 'Longer',
    scope: { everything: true },
    end: inHours(3),
  });
  t.match(changed.body, { reason: 'Longer', state: 'OPEN', scope: { everything: true }, changes: 1 });
  const same = await admin.call('PUT', path, changed.body);
  t.strictSame([same.status, same.body], [200, changed.body], 'a whole read can be sent back');
  world.clock.advance(1_000);
  const ended = await admin.call('DELETE', path, {});
  t.match(ended.body, { state: 'ENDED', changes: 1 });
  t.ok(ended.body.ended);
  t.match(await admin.call('PUT', path, { reason: 'x', scope: { everything: true }, end: inHours(3) }), {
    status: 409,
  });
  const stranger = await world.organization('Other', 'eve@example.org');
  t.equal((await stranger.call('GET', `/maintenance/${stranger.orgId}/${id}`)).status, 404);
  t.equal((await stranger.call('DELETE', `/maintenance/${stranger.orgId}/${id}`, {})).status, 404);
  const theirs = await stranger.call('POST', `/maintenance/${stranger.orgId}`, {
    reason: 'x',
    scope: { deviceIds: [deviceId] },
    end: inHours(1),
  });
  matchWhole(t, theirs, { status: 422, body: { errors: [{ path: '/scope/deviceIds/0' }] } });
  t.equal((await windows()).windows.length, 1);
});

t.test(
  'a window that names what is deleted by now can be changed, and takes no other deleted thing',
  async (t) => {
    const { admin, orgId, open, inHours, world, deviceId, fileId } = await place(t);
    const other = (await admin.call('POST', `/devices/${orgId}`, { ...DEVICE, name: 'Other' })).body
      .id as string;
    const { id } = (await open({ deviceIds: [deviceId], fileIds: [fileId] })).body;
    const path = `/maintenance/${orgId}/${id}`;
    for (const gone of [deviceId, other]) {
      world.clock.advance(1_000);
      const deleted = await admin.call('PUT', `/devices/delete/${orgId}/${gone}`, { forced: true });
      t.equal(deleted.status, 200);
    }
    const { body: read } = await admin.call('GET', path);
    const end = inHours(5);
    const longer = await admin.call('PUT', path, { reason: read.reason, scope: read.scope, end });
    t.match(longer, { status: 200, body: { end, changes: 1 } });
    t.strictSame(longer.body.scope, { deviceIds: [deviceId], fileIds: [fileId] });
    const more = { ...read.scope, deviceIds: [deviceId, other] };
    matchWhole(t, await admin.call('PUT', path, { reason: read.reason, scope: more, end }), {
      status: 422,
      body: { errors: [{ path: '/scope/deviceIds/1' }] },
    });
    const anew = await open({ fileIds: [fileId] });
    matchWhole(t, anew, { status: 422, body: { errors: [{ path: '/scope/fileIds/0' }] } });
  },
);

t.test('the next end of a window is told, so that a page knows when to ask again', async (t) => {
  const { admin, orgId, world, open, windows, inHours } = await place(t);
  const dashboard = async () => (await admin.call('GET', `/dashboard/${orgId}`)).body;
  const isTold = async (what: string, toReview: number, nextWindowEnd: string | undefined): Promise<void> => {
    for (const query of ['', '?toReview=true']) {
      const { toReview: told, nextWindowEnd: next } = await windows(query);
      t.strictSame([told, next], [toReview, nextWindowEnd], `${what}, list${query}`);
    }
    const { windowsToReview: told, nextWindowEnd: next } = await dashboard();
    t.strictSame([told, next], [toReview, nextWindowEnd], `${what}, dashboard`);
  };
  await isTold('no window', 0, undefined);
  const [first, second] = [inHours(2), inHours(5)];
  await open(undefined, { end: second });
  await open(undefined, { end: first });
  await isTold('two windows', 0, first);
  world.clock.advance(2 * HOUR_MS);
  await isTold('at the end of one', 1, second);
  world.clock.advance(3 * HOUR_MS);
  await isTold('at the end of both', 2, undefined);
});
