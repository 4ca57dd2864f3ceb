/** Tests lists of expected changes over HTTP: matching alerts are marked and set aside. */
import { LIMITS } from '@sentinel-node/contracts';
import t, { type Test } from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { summaryOf } from '../src/dashboard/summary.ts';
import { surveyOf } from '../src/dashboard/survey.ts';
import { rebuildViews, VIEWS } from '../src/views/index.ts';
import { hash } from './chain-records.ts';
import { createPlace } from './place.ts';
import { everything, scratch } from './view-scratch.ts';
import { DEVICE, FILE, type Answer } from './world.ts';

const HOUR_MS = 3_600_000;
const PATH = `${DEVICE.path}/${FILE.path}`;
const idsOf = ({ body }: Answer): string[] => body.alerts.map(({ id }: { id: string }) => id);

async function place(t: Test) {
  const here = await createPlace(t);
  const { admin, orgId, world, history, deviceId, write } = here;
  history.baseline();
  const inHours = (hours: number): string => new Date(world.clock.now() + hours * HOUR_MS).toISOString();
  const add = (more: object) => {
    const given = { reason: 'Release', scope: { deviceIds: [deviceId] }, end: inHours(2), ...more };
    return admin.call('POST', `/expected/${orgId}`, given);
  };
  /** Returns the content that the next alert leaves. */
  const next = (): string => hash(history.number);
  const raise = async (request?: string): Promise<string> => {
    world.clock.advance(1_000);
    history.passTo(world.clock.now());
    const [alert] = history.breach('UNEXPECTED_CHANGE', request).alerts;
    await write();
    world.clock.advance(1_000);
    return alert!.id;
  };
  const list = async (query: string): Promise<string[]> =>
    idsOf(await admin.call('GET', `/alerts/${orgId}?${query}`));
  const dashboard = async () => {
    const { health, activeAlerts, setAside } = (await admin.call('GET', `/dashboard/${orgId}`)).body;
    const survey = summaryOf(await surveyOf(world.store, orgId, world.clock.now()));
    t.match(survey, { health, activeAlerts, setAside }, 'memory and store say the same');
    return { percent: health.percent, activeAlerts, ...setAside };
  };
  return { ...here, inHours, add, next, raise, list, dashboard };
}

t.test('a change that is listed is marked, and only the rest asks for attention', async (t) => {
  const here = await place(t);
  const { admin, orgId, deviceId, world, history, add, next, raise, list, dashboard } = here;
  const made = await add({ entries: [{ path: PATH, sha256: next() }] });
  t.equal(made.status, 201);
  const listId = made.body.id as string;
  const newest = async (): Promise<string[]> => idsOf(await admin.call('GET', `/dashboard/${orgId}`));
  const expected = await raise();
  t.strictSame(await dashboard(), { percent: 100, activeAlerts: 0, planned: 0, expected: 1 });
  t.strictSame(await newest(), []);
  const other = await raise();
  t.strictSame(await dashboard(), { percent: 0, activeAlerts: 1, planned: 0, expected: 1 });
  t.strictSame(await newest(), [other]);
  t.strictSame(await list('expected=yes'), [expected]);
  t.strictSame(await list('expected=no'), [other]);
  t.strictSame(await list(`list=${listId}&status=ACTIVE`), [expected], 'it is still there');
  const shown = await admin.call('GET', `/alerts/${orgId}/${deviceId}/${expected}`);
  t.strictSame(shown.body.expected, { listId, reason: 'Release' });
  const counts = (await admin.call('GET', `/alerts/counts/${orgId}`)).body;
  t.strictSame(counts.list, [{ value: listId, name: 'Release', alerts: 1 }]);

  world.clock.advance(1_000);
  const moved = { files: [{ ...FILE, id: here.fileId, path: 'logs/moved.log' }] };
  t.equal((await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, moved)).status, 200);
  t.strictSame(await list('expected=yes'), [expected], 'where the file was then');
  history.again(expected, world.clock.now());
  await here.write();
  t.strictSame(await list('expected=yes'), [], 'it changed again: that is not expected');
  t.match(await dashboard(), { activeAlerts: 2, expected: 0 });

  const { open } = await scratch(t);
  const rebuilt = await open('rebuilt');
  await rebuildViews(world.eventLog, rebuilt);
  const [held, anew] = [await everything(world.store), await everything(rebuilt)];
  for (const name of ['expected', 'expected_entries', 'past_states'])
    t.strictSame(anew[name], held[name], name);
});

t.test('a second change at the time of the first is not expected', async (t) => {
  const { add, next, raise, write, dashboard, history, world } = await place(t);
  await add({ entries: [{ path: PATH, sha256: next() }] });
  const id = await raise();
  t.match(await dashboard(), { activeAlerts: 0, expected: 1 });
  const raised = await world.store.get(VIEWS.alerts, id);
  history.again(id, raised?.lastTimestamp);
  await write();
  t.match(await dashboard(), { activeAlerts: 1, expected: 0 });
});

t.test('a content that came between and is not listed is not expected', async (t) => {
  const { add, next, raise, list, dashboard } = await place(t);
  const between = hash(90);
  const report = (...hashes: string[]): string =>
    JSON.stringify({ change: 'REPLACED', versions: hashes.map((one) => ({ length: 1, hash: one })) });
  const first = next();
  await add({ entries: [{ path: PATH, sha256: first }] });
  await raise(report(hash(1), between, first));
  t.strictSame(await list('expected=yes'), [], 'the file had another content in the meantime');
  t.match(await dashboard(), { activeAlerts: 1, expected: 0 });
  const second = next();
  await add({ entries: [{ path: PATH, sha256: second }] });
  const alone = await raise(report(first, second, second));
  t.strictSame(await list('expected=yes'), [alone]);
});

t.test('an earlier content that the server never saw is not expected', async (t) => {
  const { add, next, raise, list, history } = await place(t);
  const report = (versions: readonly (readonly [number, string])[], more: object = {}): string => {
    const shown = versions.map(([length, hash]) => ({ length, hash }));
    return JSON.stringify({ change: 'REPLACED', versions: shown, ...more });
  };
  /** As `FileHistory` makes it. */
  const newest = (): [number, string] => [history.number, next()];
  const expect = async (versions: (now: [number, string]) => string): Promise<boolean> => {
    await add({ entries: [{ path: PATH, sha256: next() }] });
    const id = await raise(versions(newest()));
    return (await list('expected=yes')).includes(id);
  };
  const before = (): [number, string] => [history.number - 1, hash(history.number - 1)];
  const unseen = (length: number): [number, string] => [length, hash(77)];
  t.equal(await expect((now) => report([unseen(1), now])), false, 'the first version');
  t.equal(await expect((now) => report([before(), now])), true, 'the known one');
  t.equal(await expect((now) => report([now])), true, 'the listed one alone');
  const FOLLOW = { reread: true };
  const rest = (): number => history.number - 1;
  t.equal(await expect((now) => report([unseen(rest()), now])), false);
  t.equal(await expect((now) => report([unseen(rest()), now], FOLLOW)), true, 'what is left of it');
  t.equal(await expect((now) => report([unseen(rest() + 1), now], FOLLOW)), false);
});

t.test('a list from sha256sum, ended before its time', async (t) => {
  const { admin, orgId, add, next, raise, list, world } = await place(t);
  const checksums = `${next()}  ./${FILE.path}\n${hash(77)}  other.js\n`;
  const { id } = (await add({ checksums, folder: DEVICE.path })).body;
  const first = await raise();
  t.strictSame(await list('expected=yes'), [first]);
  const again = await add({ checksums: `${next()}  ${PATH}`, scope: { labels: ['site:graz'] } });
  t.strictSame((await list('expected=yes')).length, 1);
  await raise();
  t.strictSame(await list('expected=yes'), [first], 'the device has no such label');
  const path = `/expected/${orgId}/${id}`;
  matchWhole(t, (await admin.call('GET', path)).body, {
    state: 'VALID',
    entries: 2,
    contents: [{ path: PATH }, { path: `${DEVICE.path}/other.js`, sha256: hash(77) }],
  });
  t.strictSame((await admin.call('DELETE', path, {})).body, {});
  matchWhole(t, (await admin.call('GET', path)).body, { state: 'ENDED', entries: 2, contents: [{}, {}] });
  t.strictSame(await list('expected=yes'), [first], 'it was valid then');
  const { lists } = (await admin.call('GET', `/expected/${orgId}`)).body;
  matchList(t, lists, [{ id: again.body.id }, { id, state: 'ENDED' }]);
  const stranger = await world.organization('Other', 'eve@example.org');
  t.equal((await stranger.call('GET', `/expected/${stranger.orgId}/${id}`)).status, 404);
  t.equal((await stranger.call('DELETE', `/expected/${stranger.orgId}/${again.body.id}`, {})).status, 404);
  const { events } = (await admin.call('GET', `/events/${orgId}`)).body;
  const types = events.map(({ type }: { type: string }) => type);
  for (const type of ['ADD_EXPECTED_CHANGES', 'END_EXPECTED_CHANGES']) t.ok(types.includes(type), type);
});

t.test('bad lists are refused, clearly', async (t) => {
  const { admin, orgId, add, inHours } = await place(t);
  const entries = [{ path: PATH, sha256: hash(1) }];
  const cases: readonly [object, string][] = [
    [{}, ''],
    [{ entries, checksums: 'x' }, ''],
    [{ entries: [] }, '/entries'],
    [{ entries, end: undefined }, '/end'],
    [{ entries, end: inHours(-1) }, '/end'],
    [{ entries, end: inHours(24 * 31) }, '/end'],
    [{ entries, scope: {} }, '/scope'],
    [{ entries: [...entries, ...entries] }, '/entries/1/path'],
    [{ entries: [{ path: 'relative', sha256: hash(1) }] }, '/entries/0/path'],
    [{ entries: [{ path: PATH, sha256: hash(1).slice(1) }] }, '/entries/0/sha256'],
    [{ entries: [{ path: PATH, sha256: 'Z'.repeat(64) }] }, '/entries/0/sha256'],
    [{ checksums: 'd41d8cd98f00b204e9800998ecf8427e  /srv/a' }, '/checksums'],
  ];
  for (const [more, path] of cases)
    matchWhole(t, await add(more), { status: 422, body: { errors: [{ path }] } }, JSON.stringify(more));
  const many = Array.from({ length: LIMITS.expectedEntries + 1 }, (_, n) => ({
    path: `/${n}`,
    sha256: hash(n),
  }));
  matchWhole(t, await add({ entries: many }), { status: 422, body: { errors: [{ path: '/entries' }] } });
  const lines = many.map(({ path, sha256 }) => `${sha256}  ${path}`).join('\n');
  matchWhole(t, await add({ checksums: lines }), { status: 422, body: { errors: [{ path: '/checksums' }] } });
  t.match(await add({ checksums: 'x'.repeat(LIMITS.expectedBytes) }), {
    status: 413,
    body: { code: 'PAYLOAD_TOO_LARGE' },
  });
  t.strictSame((await admin.call('GET', `/expected/${orgId}`)).body, { lists: [] });
  t.equal((await add({ entries: many.slice(1) })).status, 201, 'as many as there may be');
  for (let n = 1; n < LIMITS.expectedPerOrganization; n++) await add({ entries });
  t.match(await add({ entries }), { status: 409, body: { code: 'LIMIT_REACHED' } });
});
