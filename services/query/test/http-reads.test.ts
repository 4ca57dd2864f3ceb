import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { eventIdTime, shownDateTime, type Entry } from '@sentinel-node/contracts';
import { anchor, appendAnchor, appendHeartbeat, hash, heartbeat } from './chain-records.ts';
import { createPlace, placeIn } from './place.ts';
import { createWorld, DEVICE, eventually, FILE } from './world.ts';

const ids = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id);
/** Returns the time as the tables of the console have it, for instance `Nov 21, 2026 10:00:00 AM`. */
const inTable = (time: number): string => shownDateTime(time, 'UTC').replace('2026,', '2026');

const shared = await createWorld(t);

t.test('the chain is asked for around, between, before and after [S3.9] [S7.21]', async (t) => {
  const here = await placeIn(shared);
  const { admin, orgId, deviceId, fileId, history } = here;
  const links: Entry[] = history.baseline().entries.filter(({ kind }) => kind === 'BASELINE');
  for (let n = 0; n < 14; n++) links.unshift(...history.link().entries);
  await here.write();
  const ask = (body: object) => admin.call('PUT', `/files/chain/${orgId}/${deviceId}/${fileId}`, body);

  const newest = (await ask({})).body;
  t.same(ids(newest.links), ids(links.slice(0, 10)), 'the newest ten, newest first');
  t.match(newest, { newer: false, older: true });
  t.equal(newest.links[0].type, 'END');
  t.match(newest.links[1], { type: 'LINK', firstHash: false, bsvId: null, anchor: { state: 'RECEIVED' } });

  t.same(ids((await ask({ before: 3 })).body.links), ids(links.slice(0, 3)));
  const oldest = (await ask({ after: 2 })).body;
  t.same(ids(oldest.links), ids(links.slice(-2)));
  t.match(oldest, { newer: true, older: false });
  t.equal(oldest.links[1].firstHash, true);

  matchWhole(
    t,
    (await ask({ before: 0 })).body,
    { links: [], newer: false, older: true },
    'none asked for is not none',
  );
  matchWhole(t, (await ask({ after: 0 })).body, { links: [], newer: true, older: false });

  const hashId = links[7]!.id;
  t.same(ids((await ask({ hashId, before: 2, after: 1 })).body.links), ids(links.slice(6, 10)));
  t.same(ids((await ask({ hashId, before: 2 })).body.links), ids(links.slice(7, 10)));
  const between = { idFrom: links[9]!.id, idTo: links[4]!.id };
  t.same(ids((await ask(between)).body.links), ids(links.slice(4, 10)));
  t.same(
    ids((await ask({ idFrom: between.idTo, idTo: between.idFrom })).body.links),
    ids(links.slice(4, 10)),
  );
  t.equal((await ask({ hashId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })).status, 404);
  t.equal((await ask({ before: 501 })).status, 422);
});

t.test('no number of a chain is left out: what handled an alert has its own entry', async (t) => {
  const here = await placeIn(shared);
  const { admin, orgId, deviceId, fileId, history } = here;
  const by = { id: admin.session.userId, email: admin.email, note: 'Planned' };
  history.baseline();
  const dismissed = history.breach().alerts[0]!.id;
  history.handled(dismissed, by);
  const reset = history.breach('UNEXPECTED_CHANGE').alerts[0]!.id;
  history.handled(reset, { ...by, reset: true });
  history.link();
  await here.write();
  const ask = async (body: object) =>
    (await admin.call('PUT', `/files/chain/${orgId}/${deviceId}/${fileId}`, body)).body;
  const numbers = (of: { number: number }[]) => of.map(({ number }) => number);

  const whole = await ask({});
  t.same(numbers(whole.links), [7, 6, 4, 2, 1]);
  matchList(
    t,
    whole.entries,
    [
      { number: 5, kind: 'RESET', alert: { id: reset, type: 'UNEXPECTED_CHANGE', status: 'DEACTIVATED' } },
      {
        number: 3,
        kind: 'DISMISSED',
        alert: { id: dismissed, status: 'RESOLVED', overrideUserEmail: admin.email, note: 'Planned' },
        anchor: { state: 'RECEIVED' },
        bsvId: null,
      },
      { number: 0, kind: 'GENESIS', alert: null },
    ],
    'newest first, down to where the chain begins',
  );
  t.same(numbers((await ask({ before: 2 })).entries), [], 'only beside the links of the answer');
  const older = await ask({ hashId: whole.links[1].id, before: 2 });
  t.same(numbers(older.links), [6, 4, 2]);
  t.same(numbers(older.entries), [5, 3]);
  const around = await ask({ hashId: whole.entries[1].id });
  t.same(numbers(around.links), [7, 6, 4, 2, 1], 'an entry can be asked for as links can');
  t.same(numbers((await ask({ after: 1 })).entries), [0]);
  t.same(numbers((await ask({ before: 0 })).entries), []);
});

t.test('an event says the type and the present state of its alert [S2.25]', async (t) => {
  const here = await placeIn(shared);
  const { admin, orgId, history } = here;
  history.baseline();
  const [alert] = history.breach('EMPTY').alerts;
  await here.write();
  const list = async (search = '') =>
    (await admin.call('GET', `/events/${orgId}${search === '' ? '' : `?search=${search}`}`)).body.events;
  const about = (events: { alertId: string | null }[]) => events.find(({ alertId }) => alertId === alert!.id);
  t.match(about(await list()), { type: 'ALERT', alert: { type: 'EMPTY', status: 'ACTIVE' } });
  t.match(about(await list('file%20missing')), { alertId: alert!.id });
  t.equal((await list('dismissed')).length, 0);
  history.handled(alert!.id, { id: admin.session.userId, email: admin.email, note: 'Moved' });
  await here.write();
  t.match(about(await list('dismissed')), { alert: { type: 'EMPTY', status: 'RESOLVED' } });
});

t.test('the transaction of a link and of an alert is found by position', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  const last = await here.write();
  const partition = (await world.store.get('links', alert!.hashId))!.partition as number;
  const chain = async () =>
    (await admin.call('PUT', `/files/chain/${orgId}/${deviceId}/${fileId}`, {})).body.links;
  const bsv = async () =>
    (await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alert!.id}`)).body.bsvTransactionID;
  t.equal(await bsv(), null);

  const range = { partition, from: last, to: last + 1 };
  const state = async (rev: number, status?: string) => {
    await appendAnchor(world.eventLog, anchor(0, rev, [range], status));
    await eventually(async () =>
      (await world.store.get('anchor_batches', '0'))?.rev === rev ? true : undefined,
    );
    return (await chain())[0];
  };
  t.match(await state(1), { bsvId: null, anchor: { state: 'BATCHED', batch: 0 } });
  t.match(await state(2, 'SIGNED'), { bsvId: null, anchor: { state: 'BATCHED' } });
  t.match(await state(3, 'SEEN_ON_NETWORK'), { bsvId: hash(9_000), anchor: { state: 'BROADCAST' } });
  t.match(await state(4, 'MINED'), { bsvId: hash(9_000), anchor: { state: 'CONFIRMED', confirmations: 1 } });
  t.equal(await bsv(), hash(9_000));
  t.match((await chain())[1], { type: 'BASELINE', bsvId: null, anchor: { state: 'RECEIVED', batch: null } });
});

t.test('alerts come oldest first too, page by page', async (t) => {
  const here = await placeIn(shared);
  const { admin, orgId, deviceId, history } = here;
  history.baseline();
  const oldest = [];
  for (let n = 0; n < 7; n++) oldest.push(history.breach('HASH_BREACH', `{"sequence":${n}}`).alerts[0]!);
  history.handled(oldest[1]!.id, { id: admin.session.userId, email: admin.email, note: 'seen' });
  await here.write();
  const call = (query: string) => admin.call('GET', `/alerts/${query}`);
  const allOf = async (at: string, query: string): Promise<string[]> => {
    const found: string[] = [];
    for (let more = ''; ;) {
      const { body } = await call(`${at}?limit=2${query}${more}`);
      found.push(...ids(body.alerts));
      if (body.lastId === null) return found;
      more = `&lastId=${body.lastId}`;
    }
  };
  const active = ids(oldest.filter((_, n) => n !== 1));
  const iso = (ms: number) => new Date(ms).toISOString();
  const range = `&timestampFrom=${iso(oldest[2]!.timestamp)}&timestampTo=${iso(oldest[5]!.timestamp)}`;
  for (const at of [orgId, `${orgId}/${deviceId}`]) {
    t.same(await allOf(at, '&order=oldest'), ids(oldest), 'by an index');
    t.same(await allOf(at, '&order=oldest&status=ACTIVE'), active, 'of a status');
    t.same(await allOf(at, '&order=oldest&category=STANDARD'), ids(oldest), 'kept in memory');
    t.same(await allOf(at, '&order=oldest&search=hash%20breach'), ids(oldest), 'searched');
    t.same(await allOf(at, `&order=oldest${range}`), ids(oldest.slice(2, 6)), 'of some time');
    t.same(await allOf(at, `&order=oldest&type=HASH_BREACH${range}`), ids(oldest.slice(2, 6)));
    t.same(await allOf(at, '&order=newest'), ids(oldest).reverse());
    t.same(await allOf(at, ''), ids(oldest).reverse(), 'newest first if nothing is said');
  }
  const first = (await call(`${orgId}?order=oldest&limit=6`)).body;
  const late = history.breach('HASH_BREACH', '{"sequence":8}').alerts[0]!;
  await here.write();
  const rest = (await call(`${orgId}?order=oldest&lastId=${first.lastId}`)).body;
  t.same([...ids(first.alerts), ...ids(rest.alerts)], ids([...oldest, late]), 'what comes meanwhile is last');
  for (const bad of ['OLDEST', 'status', '', 'oldest&order=newest']) {
    const { status, body } = await call(`${orgId}?order=${bad}`);
    t.match({ status, ...body }, { status: 422, code: 'VALIDATION_FAILED' }, `order=${bad}`);
  }
});

t.test('alerts are listed, searched, filtered and read [S2.29] [S7.2] [S7.3] [S7.4]', async (t) => {
  const here = await placeIn(shared);
  const { admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const alerts = [];
  for (let n = 0; n < 5; n++) alerts.unshift(history.breach('HASH_BREACH', `{"sequence":${n}}`).alerts[0]!);
  history.handled(alerts[4]!.id, { id: admin.session.userId, email: admin.email, note: 'seen' });
  await here.write();
  const list = async (query = '', at = orgId) => (await admin.call('GET', `/alerts/${at}${query}`)).body;

  t.same(ids((await list()).alerts), ids(alerts));
  t.same(ids((await list('', `${orgId}/${deviceId}`)).alerts), ids(alerts));
  const page = await list('?limit=2');
  t.same(ids(page.alerts), ids(alerts.slice(0, 2)));
  t.equal(page.lastId, alerts[1]!.id);
  const rest = await list(`?limit=3&lastId=${page.lastId}`);
  t.same(ids(rest.alerts), ids(alerts.slice(2)));
  t.equal(rest.lastId, null);
  t.same(ids((await list('?status=RESOLVED')).alerts), [alerts[4]!.id]);
  t.same(ids((await list(`?deviceId=${deviceId}&status=ACTIVE`)).alerts), ids(alerts.slice(0, 4)));
  for (const bad of ['nope', 'a', '0198f000-0000-7000-8000-000000000000', `${page.lastId}A`])
    t.equal((await admin.call('GET', `/alerts/${orgId}?lastId=${bad}`)).status, 422, `lastId=${bad}`);
  t.same((await list('?deviceId=00000000-0000-7000-8000-000000000000')).alerts, []);
  const at = (ms: number) => new Date(ms).toISOString();
  const [from, to] = [alerts[3]!.timestamp, alerts[1]!.timestamp];
  t.same(
    ids((await list(`?timestampFrom=${at(from)}&timestampTo=${at(to)}`)).alerts),
    ids(alerts.slice(1, 4)),
  );
  t.equal(eventIdTime(alerts[0]!.id), alerts[0]!.timestamp);
  t.same(ids((await list('?search=hash breach')).alerts), ids(alerts));
  t.same(ids((await list('?search=Dismissed')).alerts), [alerts[4]!.id], 'the status as shown');
  t.equal((await list('?search=active')).alerts.length, 4);
  t.same((await list('?search=server 9')).alerts, []);
  t.same(ids((await list('?search=server 1')).alerts), ids(alerts), 'the name of the device');
  t.same(ids((await list('?search=log')).alerts), ids(alerts), 'the name of the file');
  for (const shown of ['Nov 21, 2026, 10:00', inTable(alerts[0]!.timestamp)])
    t.equal((await list(`?search=${shown}&timeZone=UTC`)).alerts.length, 5, shown);
  t.same((await list('?search=Nov 21, 2026, 10:00&timeZone=Asia/Tokyo')).alerts, []);

  const one = await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alerts[0]!.id}`);
  matchWhole(t, one.body, {
    id: alerts[0]!.id,
    status: 'ACTIVE',
    type: 'HASH_BREACH',
    deviceId,
    deviceName: DEVICE.name,
    fileId,
    fileName: FILE.name,
    overrideUser: null,
    shared: false,
    sharedData: [],
    hashId: alerts[0]!.hashId,
    eventRequest: { sequence: 4 },
    occurrences: 1,
    note: null,
  });
  t.equal((await admin.call('GET', `/alerts/${orgId}/${fileId}/${alerts[0]!.id}`)).status, 404);
  const other = await here.world.organization('Other', 'bob@example.org');
  t.equal((await other.call('GET', `/alerts/${orgId}`)).status, 404);
  t.equal((await other.call('GET', `/alerts/${other.orgId}/${deviceId}/${alerts[0]!.id}`)).status, 404);
});

t.test('events are listed, searched and read [S7.16] [S7.17] [S7.18] [S7.19]', async (t) => {
  const here = await placeIn(shared);
  const { admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const { alerts, events } = history.breach();
  await here.write();
  const list = async (query = '', at = orgId) =>
    (await admin.call('GET', `/events/${at}${query}`)).body.events;
  const types = (found: readonly { type: string }[]): string[] => found.map(({ type }) => type);

  t.same(types(await list()), ['ALERT', 'CREATE_FILE', 'CREATE_DEVICE']);
  t.same(types(await list('', `${orgId}/${deviceId}`)), ['ALERT', 'CREATE_FILE', 'CREATE_DEVICE']);
  t.same(types(await list('', `${orgId}/${deviceId}/${fileId}`)), ['ALERT', 'CREATE_FILE']);
  t.same(types(await list('?search=device added')), ['CREATE_DEVICE']);
  t.same(types(await list('?search=log')), ['ALERT', 'CREATE_FILE'], 'the name of the file');
  t.same(types(await list('?search=SERVER 1&limit=1')), ['ALERT'], 'the name of the device');
  t.equal((await list('?search=Nov 21, 2026, 10:00&timeZone=UTC')).length, 3);
  const shown = inTable(alerts[0]!.timestamp);
  t.equal((await list(`?search=${shown}&timeZone=UTC`)).length, 3, 'as the table has it');
  t.equal((await list('?search=Nov 21, 2026, 7:00&timeZone=Asia/Tokyo')).length, 3);
  t.equal((await admin.call('GET', `/events/${orgId}?search=x&timeZone=Moon`)).status, 422);
  t.equal((await list(`?deviceName=${DEVICE.name.toUpperCase()}`)).length, 3);
  t.equal((await list('?deviceName=Server')).length, 0);
  t.equal((await admin.call('GET', `/events/${orgId}?lastId=nope`)).status, 422);
  t.same(types(await list(`?lastId=${events[0]!.id}&limit=1`)), ['CREATE_FILE']);

  const single = await admin.call('GET', `/events/single/${orgId}/${deviceId}/${events[0]!.id}`);
  t.match(single.body, {
    type: 'ALERT',
    deviceName: DEVICE.name,
    fileName: FILE.name,
    alertId: alerts[0]!.id,
    hashId: alerts[0]!.hashId,
  });
  t.same(JSON.parse(single.body.note), { type: 'HASH_BREACH' });
});

t.test('exports stream the whole range [S7.37] [S7.38] [S9.11]', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, history } = here;
  history.baseline();
  for (let n = 0; n < 3; n++) history.breach();
  await here.write();
  const csv = { accept: 'text/csv' };
  const events = await admin.call('GET', `/events/${orgId}?toExport=true`, undefined, csv);
  t.match(String(events.headers['content-type']), /^text\/csv/);
  const lines = String(events.body).split('\r\n');
  t.equal(lines[0], '\uFEFFId;Timestamp;Type;Device id;Device name;File id;File name;Alert id;Hash id;Note');
  t.equal(lines.length, 1 + 5 + 1);
  t.match(lines.at(-2), /;CREATE_DEVICE;.*;Server 1;-;-;-;-;"\{""by"":/);
  const json = await admin.call('GET', `/events/${orgId}?toExport=true`);
  t.equal(json.body.events.length, 5);

  const regular = await world.member(admin, 'carl@example.org', 'REGULAR');
  const alerts = await regular.call('GET', `/alerts/${orgId}?toExport=true`, undefined, csv);
  const [header, first] = String(alerts.body).split('\r\n');
  t.equal(
    header,
    '\uFEFFId;Timestamp;Status;Type;Device id;Device name;File id;File name;Override user;' +
      'Override user email;Shared;Shared data;Hash id;Event request;Bsv transaction id;Note',
  );
  t.match(first, /;ACTIVE;HASH_BREACH;.*;Server 1;.*;Log;-;;false;-;.*;"\{""sequence"":1\}";-;-$/);
});

t.test('[S6.5] the export for an ADMIN names who handled an alert by the e-mail of now', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, history } = here;
  const rita = await world.member(admin, 'rita@example.org', 'REGULAR');
  history.baseline();
  const [alert] = history.breach().alerts;
  history.handled(alert!.id, { id: rita.userId, email: 'rita@example.org', note: 'seen' });
  await here.write();
  const change = { name: 'Rita', emailAddress: 'rita.new@example.org', role: 'REGULAR' };
  t.equal((await admin.call('PUT', `/users/${orgId}/${rita.userId}`, change)).status, 200);
  const emails = async () => {
    const { body } = await admin.call('GET', `/alerts/${orgId}?toExport=true`);
    return body.alerts.map((one: { overrideUserEmail: string }) => one.overrideUserEmail) as string[];
  };
  const exported = await eventually(async () => {
    const found = await emails();
    return found[0] === 'rita@example.org' ? undefined : found;
  });
  t.same(exported, ['rita.new@example.org']);
});

t.test('the dashboard is right with nothing ticking [S7.8]', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  const dashboard = async () => (await admin.call('GET', `/dashboard/${orgId}`)).body;
  const fresh = await dashboard();
  matchWhole(t, fresh, {
    stripeIdSet: false,
    performance: {
      numberOfDevicesDefined: 1,
      numberOfFilesDefined: 1,
      numberOfDevicesActive: 1,
      performance: null,
      numberOfFilesMonitored: 1,
      numberOfFilesWaiting: 1,
      numberOfFilesWithoutContact: 0,
    },
    health: { percent: 100, devices: 1, devicesWithActiveAlert: 0 },
    devices: [{ id: deviceId, name: DEVICE.name, enabled: true, status: 'ACTIVE', files: [] }],
    alerts: [],
    activeAlerts: 0,
  });
  t.same(fresh.performance.noContactFiles, [], 'never heard of: waiting, not lost');

  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const alerted = await dashboard();
  t.match(alerted, { health: { percent: 0, devicesWithActiveAlert: 1 }, activeAlerts: 1 });
  t.equal(alerted.alerts[0].id, alert!.id);
  t.equal(alerted.events.length, 3);

  world.clock.advance(3 * 60_000 + 10);
  const silent = await dashboard();
  t.equal(silent.devices[0].status, 'NON_ACTIVE');
  t.equal(silent.performance.performance, 0);
  t.same(silent.performance.noContactFiles, [
    { id: fileId, name: FILE.name, deviceId, deviceName: DEVICE.name },
  ]);

  const now = world.clock.now();
  await appendHeartbeat(
    world.eventLog,
    heartbeat({ orgId, deviceId }, now, [{ id: fileId, checkedAt: now }]),
  );
  await eventually(async () => ((await dashboard()).performance.performance === 100 ? true : undefined));
  const file = (await admin.call('GET', `/files/${orgId}/${deviceId}/${fileId}`)).body;
  t.match(file, { contact: 'OK', lastContact: new Date(now).toISOString(), activeAlerts: 1 });

  world.clock.advance(93 * 24 * 3_600_000);
  const later = await world.signIn('ada@example.org');
  const { health } = (await later.call('GET', `/dashboard/${orgId}`)).body;
  t.equal(health.percent, 100, 'older than three months');
});

t.test('the first link after monitoring was switched on again says so', async (t) => {
  const here = await placeIn(shared);
  const { admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  history.link({ whileDisabled: true });
  history.link();
  await here.write();
  const { body } = await admin.call('PUT', `/files/chain/${orgId}/${deviceId}/${fileId}`, {});
  matchList(t, body.links, [{ number: 3 }, { number: 2, whileDisabled: true }, { number: 1 }]);
  for (const at of [0, 2]) t.notOk('whileDisabled' in body.links[at], 'absent when it was on');
});
