/** Raises every alert type by a suitable report; a person dismisses or resets the alert. */
import t, { type Test } from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import type { Alert, File } from '@sentinel-node/contracts';
import { call, invited } from './support/client.ts';
import { version } from './support/reporter.ts';
import * as scenes from './support/scene.ts';
import { alertsOf, linksOf, linksOnce, raisedOn, shown, toldOn, turnOff } from './support/scene.ts';
import { SUITE_ENV } from './support/system.ts';
import { FILE_MS, until } from './support/until.ts';

const ROLLED = {
  monitoringFrequency: 'FOLLOW',
  rolled: true,
  rolledFilenameRegexp: 'app\\.log\\.[0-9]+',
} as const;
const A = version('first state');
const B = version('second state, longer');
const C = version('third');
const D = version('fourth');

t.setTimeout(FILE_MS);
t.test('alerts', { timeout: FILE_MS }, async (t) => {
  const files = {
    empty: {},
    fixed: { modifiable: false },
    prefix: { monitoringFrequency: 'FOLLOW' },
    rolled: ROLLED,
    archive: { ...ROLLED, path: 'files/archive' },
    lengths: {},
    counted: {},
    unseen: {},
    reset: {},
    gone: {},
    race: {},
    anchored: {},
  } as const;
  const scene = await scenes.scene(t, files, SUITE_ENV);
  const { agent, admin, stream, files: ids } = scene;
  const id = (name: keyof typeof files): string => ids[name] ?? '';
  for (const name of Object.keys(files) as (keyof typeof files)[]) await agent.report(id(name), 'FIRST', A);

  /** Checks that the alert is on the stream in the form of a read, with its BREAK link and its event. */
  async function check(t: Test, name: keyof typeof files, type: Alert['type'], hash: string | null) {
    const fileId = id(name);
    const alert = await raisedOn(stream, fileId, type);
    t.match(alert, { status: 'ACTIVE', occurrences: 1, fileName: name, orgId: admin.orgId, note: null });
    const {
      orgId: _orgId,
      rev: _rev,
      bsvTransactionID: _txid,
      ...told
    } = alert as Alert & Record<string, unknown>;
    const { bsvTransactionID: _anchored, ...read } = await admin.done(
      'GET',
      `/alerts/${agent.path}/${alert.id}`,
    );
    t.same(read, told, 'the stream gives what a read gives');
    const event = await toldOn(stream, 'ALERT', (event) => event.alertId === alert.id);
    t.match(event, { fileId, deviceId: agent.deviceId, hashId: alert.hashId });
    t.same(JSON.parse(event.note), { type });
    const link = (await linksOf(agent, fileId)).find(({ id }) => id === alert.hashId);
    matchWhole(t, link, { type: 'BREAK', hash, alerts: [{ id: alert.id, type, status: 'ACTIVE' }] });
    return alert;
  }

  await t.test(
    'each type by its report [S3.11] [S7.2] [S7.3] [S7.4] [S8.19] [S8.20] [S8.21] [S8.22] [S8.23]',
    async (t) => {
      await agent.report(id('empty'), 'MISSING');
      const empty = await check(t, 'empty', 'EMPTY', null);
      matchWhole(t, empty.eventRequest, { change: 'MISSING', versions: [] });
      await agent.report(id('empty'), 'MISSING');

      await agent.report(id('fixed'), 'REPLACED', A, B);
      await check(t, 'fixed', 'UNEXPECTED_CHANGE', B.hash);

      await agent.report(id('prefix'), 'APPENDED', { ...A, hash: C.hash }, B);
      await check(t, 'prefix', 'HASH_BREACH', B.hash);

      await agent.reportWith(id('rolled'), { change: 'ROLLED', versions: [A, C], archives: [] });
      await check(t, 'rolled', 'ROLLED_FILE_CHANGED', C.hash);
      const archives = [{ name: 'app.log.1', ...D }];
      await agent.reportWith(id('archive'), { change: 'ARCHIVE_CHANGED', versions: [A], archives });
      await check(t, 'archive', 'ROLLED_FILE_CHANGED', A.hash);

      await agent.report(id('lengths'), 'APPENDED', A, B, C);
      await check(t, 'lengths', 'HASH_BREACH_IN_REQ', C.hash);

      const all = (await admin.done('GET', `/alerts/${admin.orgId}`)).alerts as Alert[];
      t.equal(all.length, 6, 'no other alert, and the missing file alerts once');
      const after = new Date(Date.parse(empty.timestamp) + 1).toISOString();
      const range = async (query: Record<string, string>) =>
        (await admin.done('GET', `/alerts/${admin.orgId}?${new URLSearchParams(query).toString()}`))
          .alerts as Alert[];
      t.equal((await range({ timestampTo: empty.timestamp })).length, 1);
      t.equal((await range({ timestampFrom: after })).length, 5);
      t.equal((await admin.done('GET', `/alerts/${agent.path}`)).alerts.length, 6);
    },
  );

  await t.test('the same state does not alert twice', async (t) => {
    const checked = async (): Promise<string | null> => {
      const { files } = await admin.done('GET', `/devices/${agent.path}`);
      return (files as File[]).find((file) => file.id === id('fixed'))?.lastContact ?? null;
    };
    const before = await checked();
    await agent.report(id('fixed'), 'UNCHANGED', B);
    await agent.report(id('prefix'), 'APPENDED', B, version('second state, longer and longer'));
    const links = await linksOnce(agent, id('prefix'), 3);
    t.equal(links[0]?.type, 'END', 'goes on from what was reported');
    t.equal((await alertsOf(agent, id('prefix'))).length, 1);
    await until(
      'the report of the same state is judged',
      async () => (await checked()) !== before || undefined,
    );
    t.equal((await alertsOf(agent, id('fixed'))).length, 1);
  });

  await t.test('dismiss: RESOLVED, the chain goes on [S4.1] [S7.7]', async (t) => {
    const [alert] = await alertsOf(agent, id('fixed'));
    t.equal((await turnOff(admin, alert!, 'RESOLVED', { note: '' })).status, 422, 'a note is needed');
    const answer = await turnOff(admin, alert!, 'RESOLVED', { note: 'planned' });
    t.equal(answer.status, 200);
    t.match(answer.body, {
      status: 'RESOLVED',
      note: 'planned',
      overrideUser: admin.userId,
      overrideUserEmail: admin.email,
    });
    await stream.next(
      'the dismissed alert',
      ({ event, data }) => event === 'alert' && data.id === alert!.id && data.status === 'RESOLVED',
    );
    matchList(t, shown(await linksOf(agent, id('fixed'))), [
      { type: 'OVERRIDEN', firstHash: false, hash: B.hash, statuses: ['RESOLVED'] },
      { type: 'BASELINE', firstHash: true, hash: A.hash, statuses: [] },
    ]);
    await agent.report(id('fixed'), 'REPLACED', B, A);
    const again = await until('a new alert', async () =>
      (await alertsOf(agent, id('fixed'))).find(({ status }) => status === 'ACTIVE'),
    );
    t.not(again.id, alert!.id, 'a dismissed alert is not counted on');
    t.equal((await linksOf(agent, id('fixed')))[0]?.type, 'BREAK');
  });

  await t.test('further deviations are counted, each with its BREAK link', async (t) => {
    const fileId = id('counted');
    await agent.report(fileId, 'REPLACED', B, C);
    const first = await raisedOn(stream, fileId, 'HASH_BREACH');
    await agent.report(fileId, 'REPLACED', B, D);
    const counted = await until('a second occurrence', async () =>
      (await alertsOf(agent, fileId)).find(({ occurrences }) => occurrences === 2),
    );
    t.equal(counted.id, first.id);
    t.equal(counted.hashId, first.hashId);
    t.ok(counted.lastTimestamp > counted.timestamp);
    t.equal((await alertsOf(agent, fileId)).length, 1);
    t.same(
      (await linksOf(agent, fileId)).map(({ type }) => type),
      ['BREAK', 'BREAK', 'BASELINE'],
    );
    const stale = await turnOff(admin, counted, 'RESOLVED', { occurrences: 1 });
    t.match(stale, { status: 409, body: { code: 'ALERT_CHANGED' } });
    t.equal((await turnOff(admin, counted, 'RESOLVED', { occurrences: 2 })).status, 200);
    t.same(
      (await linksOf(agent, fileId)).map(({ type }) => type),
      ['OVERRIDEN', 'OVERRIDEN', 'BASELINE'],
    );
  });

  await t.test('reset: DEACTIVATED, with a new baseline at once [S3.16]', async (t) => {
    const fileId = id('reset');
    await agent.report(fileId, 'REPLACED', B, C);
    const alert = await raisedOn(stream, fileId, 'HASH_BREACH');
    const answer = await turnOff(admin, alert, 'DEACTIVATED', { note: 'new release' });
    t.match(answer, { status: 200, body: { status: 'DEACTIVATED', note: 'new release' } });
    matchList(t, shown(await linksOnce(agent, fileId, 3)), [
      { type: 'END', firstHash: true, hash: C.hash, statuses: [] },
      { type: 'OVERRIDEN', firstHash: false, hash: C.hash, statuses: ['DEACTIVATED'] },
      { type: 'BASELINE', firstHash: true, hash: A.hash, statuses: [] },
    ]);
    const chain = await admin.done('PUT', `/files/chain/${agent.path}/${fileId}`, { before: 1 });
    t.match(chain, { older: true, newer: false }, 'the earlier chain is still there');
    await agent.report(fileId, 'REPLACED', C, D);
    const links = await linksOnce(agent, fileId, 4);
    t.same(
      links.map(({ type }) => type),
      ['END', 'BASELINE', 'OVERRIDEN', 'BASELINE'],
    );
    const numbers = links.map(({ number }) => number);
    t.same(numbers, [5, 4, 2, 1], 'GENESIS and RESET took their numbers of the same chain');
    t.equal((await alertsOf(agent, fileId)).length, 1);
  });

  await t.test('reset of a missing file: the next version becomes the baseline', async (t) => {
    const fileId = id('gone');
    await agent.report(fileId, 'MISSING');
    const alert = await raisedOn(stream, fileId, 'EMPTY');
    t.equal((await turnOff(admin, alert, 'DEACTIVATED')).status, 200);
    t.equal((await linksOf(agent, fileId)).length, 2, 'no baseline yet');
    await agent.report(fileId, 'REPLACED', D);
    matchList(t, shown(await linksOnce(agent, fileId, 3)), [
      { type: 'END', firstHash: true, hash: D.hash },
      { type: 'OVERRIDEN', hash: null, statuses: ['DEACTIVATED'] },
      { type: 'BASELINE', firstHash: true, hash: A.hash },
    ]);
    t.equal((await alertsOf(agent, fileId)).length, 1);
  });

  await t.test('what occurred again is not turned off, however far the view is behind', async (t) => {
    const fileId = id('unseen');
    await agent.report(fileId, 'REPLACED', B, C);
    const alert = await raisedOn(stream, fileId, 'HASH_BREACH');
    for (let occurrences = 1; occurrences <= 5; occurrences++) {
      await agent.report(
        fileId,
        'REPLACED',
        ...(occurrences % 2 === 0 ? ([B, C] as const) : ([A, D] as const)),
      );
      const answer = await turnOff(admin, alert, 'DEACTIVATED', { occurrences });
      t.match(answer, { status: 409, body: { code: 'ALERT_CHANGED' } });
      const [read] = await alertsOf(agent, fileId);
      t.match(read, { id: alert.id, status: 'ACTIVE', occurrences: occurrences + 1 });
    }
    t.equal((await turnOff(admin, alert, 'DEACTIVATED', { occurrences: 6 })).status, 200);
    t.match((await linksOf(agent, fileId))[0], { firstHash: true, hash: D.hash });
  });

  await t.test('of two who turn off one alert at once, one gets 409', async (t) => {
    const bob = await invited(admin, 'bob@example.org', 'Bob');
    await agent.report(id('race'), 'REPLACED', B, C);
    const alert = await raisedOn(stream, id('race'), 'HASH_BREACH');
    const people = [admin, bob];
    const statuses = ['RESOLVED', 'DEACTIVATED'] as const;
    const answers = await Promise.all(people.map((person, i) => turnOff(person, alert, statuses[i]!)));
    t.same(answers.map(({ status }) => status).sort(), [200, 409]);
    const winner = answers.findIndex(({ status }) => status === 200);
    t.match(answers[1 - winner]?.body, { code: 'ALERT_NOT_ACTIVE' });
    const [read] = await alertsOf(agent, id('race'));
    t.match(read, { status: statuses[winner], overrideUserEmail: people[winner]?.email });
    const again = await turnOff(people[winner]!, alert, statuses[winner]!);
    t.equal(again.status, 200, 'the same command of the same person again');
    const other = await turnOff(people[winner]!, alert, statuses[1 - winner]!);
    t.equal(other.status, 409, 'there is no other transition');
  });

  await t.test('the transaction appears on the alert and its link', async (t) => {
    const fileId = id('anchored');
    await agent.report(fileId, 'REPLACED', B, C);
    const alert = await raisedOn(stream, fileId, 'HASH_BREACH');
    const anchored = await until('a transaction id', async () => {
      const read = (await admin.done('GET', `/alerts/${agent.path}/${alert.id}`)) as Alert;
      return read.bsvTransactionID === null ? undefined : read;
    });
    t.match(anchored.bsvTransactionID, /^[0-9a-f]{64}$/);
    const link = (await linksOf(agent, fileId)).find(({ id }) => id === alert.hashId);
    t.equal(link?.bsvId, anchored.bsvTransactionID);
  });

  await t.test('shared, it is read without signing in [S3.12] [S7.5] [S7.6]', async (t) => {
    const [alert] = await alertsOf(agent, id('race'));
    const read = () => call(scene.node, 'GET', `/api/v1/alerts/link/shared/data/${alert!.id}`);
    t.equal((await read()).status, 404, 'not shared');
    const wish = { sharedEmailAddresses: ['eve@example.org'] };
    const shared = await admin.api('POST', `/alerts/share/${agent.path}/${alert!.id}`, wish);
    t.equal(shared.status, 200);
    t.strictSame(shared.body, {});
    t.match((await read()).body, {
      id: alert!.id,
      type: alert!.type,
      status: alert!.status,
      fileName: 'race',
    });
    matchWhole(t, JSON.parse((await read()).body.eventRequest), { change: 'REPLACED', versions: [B, C] });
    await until('the mail', async () => {
      const { body } = await call(scene.node, 'GET', '/dev-mail/messages');
      const mail = (body as { to: string; links: string[] }[]).find(({ to }) => to === 'eve@example.org');
      return mail?.links.find((link) => link.endsWith(`/share/alert/${alert!.id}`));
    });
    matchList(t, await alertsOf(agent, id('race')), [
      { shared: true, sharedData: [{ emailAddress: 'eve@example.org' }] },
    ]);
  });
});
