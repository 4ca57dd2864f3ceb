import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { EXPORT_LIMITS } from '../src/exports/index.ts';
import { csvRows, fillEvents } from './filled-store.ts';
import { createPlace, type Place } from './place.ts';
import { listen } from './sse-client.ts';
import { eventually, type Person, type World } from './world.ts';

const CSV = { accept: 'text/csv' };
const EVENTS_HEADER = 'Id;Timestamp;Type;Device id;Device name;File id;File name;Alert id;Hash id;Note';
const ALERTS_HEADER =
  'Id;Timestamp;Status;Type;Device id;Device name;File id;File name;Override user;Override user email;Shared;Shared data;Hash id;Event request;Bsv transaction id;Note';

t.test('[S7.37] thousands of events as CSV, to the letter, and the same as JSON', async (t) => {
  const here = await createPlace(t);
  const { admin, orgId, deviceId, fileId } = here;
  const notes = ['=1+1', '-', 'a;b', 'say "hello"', 'two\r\nlines', '', 'Zoë 李', '@cmd', '+1', '\tx'];
  const filled = await fillEvents(here, 3_210, (n) => ({
    note: notes[n % notes.length]!,
    alertId: n % 2 ? 'A' : null,
  }));
  const { body, headers } = await admin.call(
    'GET',
    `/events/${orgId}/${deviceId}/${fileId}?toExport=true`,
    undefined,
    CSV,
  );
  t.equal(headers['content-type'], 'text/csv; charset=utf-8');
  t.ok(body.startsWith(`\uFEFF${EVENTS_HEADER}\r\n`), 'a byte order mark, then the header');
  t.ok(body.endsWith('\r\n'));
  const [, created, ...rows] = csvRows(body);
  t.equal(created![2], 'CREATE_FILE', 'the newest first');
  const shown: Record<string, string> = {
    '': '-',
    // A person's text: a bare `-` means a missing value.
    '-': "'-",
    '=1+1': "'=1+1",
    '@cmd': "'@cmd",
    '+1': "'+1",
    '\tx': "'\tx",
  };
  t.same(
    rows,
    filled.map(({ id, timestamp, type, alertId, note }) => {
      const time = new Date(timestamp).toISOString();
      return [id, time, type, deviceId, 'Server 1', fileId, 'Log', alertId ?? '-', '-', shown[note] ?? note];
    }),
  );

  const json = await admin.call('GET', `/events/${orgId}/${deviceId}/${fileId}?toExport=true`);
  const pages: unknown[] = [];
  for (let lastId = ''; ;) {
    const more = lastId === '' ? '' : `&lastId=${lastId}`;
    const page = await admin.call('GET', `/events/${orgId}/${deviceId}/${fileId}?limit=500${more}`);
    pages.push(...page.body.events);
    if (page.body.lastId === null) break;
    lastId = page.body.lastId;
  }
  t.same(json.body, { events: pages, lastId: null }, 'what the pages hold');

  const [from, to] = [filled[100]!, filled[50]!].map(({ timestamp }) => new Date(timestamp).toISOString());
  const range = `timestampFrom=${from}&timestampTo=${to}`;
  const part = await admin.call('GET', `/events/${orgId}?toExport=true&${range}`, undefined, CSV);
  t.equal(csvRows(part.body).length, 52, 'both ends of a range are in it');
  const none = `timestampFrom=2001-01-01T00:00:00.000Z&timestampTo=2001-01-02T00:00:00.000Z`;
  const empty = await admin.call('GET', `/events/${orgId}?toExport=true&${none}`, undefined, CSV);
  t.equal(empty.body, `\uFEFF${EVENTS_HEADER}\r\n`);
  t.equal((await admin.call('HEAD', `/events/${orgId}?toExport=true`)).body, '');
});

t.test('[S6.9] [S6.5] alerts as CSV: raw status, and no override e-mails for REGULAR', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const [open] = history.breach('EMPTY').alerts;
  await here.write();
  history.handled(open!.id, { id: admin.session.userId, email: 'ada@example.org', note: '=planned' });
  const [second] = history.breach('UNEXPECTED_CHANGE', '{"sequence":2}').alerts;
  await here.write();
  const share = { sharedEmailAddresses: ['eve@example.org', 'max@example.org'] };
  t.equal((await admin.call('POST', `/alerts/share/${orgId}/${deviceId}/${second!.id}`, share)).status, 200);

  const { body } = await admin.call('GET', `/alerts/${orgId}?toExport=true`, undefined, CSV);
  t.ok(body.startsWith(`\uFEFF${ALERTS_HEADER}\r\n`));
  const [, newest, oldest] = csvRows(body);
  const place = [deviceId, 'Server 1', fileId, 'Log'];
  const time = (ms: number): string => new Date(ms).toISOString();
  const shared = ['true', 'eve@example.org, max@example.org'];
  t.same(newest, [
    second!.id,
    time(second!.timestamp),
    'ACTIVE',
    'UNEXPECTED_CHANGE',
    ...place,
    '-',
    '-',
    ...shared,
    second!.hashId,
    '{"sequence":2}',
    '-',
    '-',
  ]);
  const by = [admin.session.userId, 'ada@example.org', 'false', '-'];
  t.same(oldest, [
    open!.id,
    time(open!.timestamp),
    'RESOLVED',
    'EMPTY',
    ...place,
    ...by,
    open!.hashId,
    '{"sequence":1}',
    '-',
    "'=planned",
  ]);

  const regular = await world.member(admin, 'rob@example.org', 'REGULAR');
  const seen = await regular.call('GET', `/alerts/${orgId}?toExport=true`, undefined, CSV);
  const [, newestSeen, oldestSeen] = csvRows(seen.body);
  t.equal(oldestSeen![9], '', 'empty, not a missing value');
  t.equal(newestSeen![9], '');
  t.notMatch(seen.body, /ada@example\.org/);
});

/** Requests an export over a socket that does not read. */
async function stalled(here: Place, person: Person): Promise<Socket> {
  const url = new URL(await listen(here.world));
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => undefined);
  socket.pause();
  const head = [
    `GET /api/v1/events/${here.orgId}?toExport=true HTTP/1.1`,
    'host: localhost:8443',
    `x-access-token: ${person.token}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

t.test('a client that stops reading stops the work, one that goes away ends it', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId } = here;
  // More than the buffers of a connection hold.
  await fillEvents(here, 4_000, () => ({ note: 'x'.repeat(8_000) }));
  let pages = 0;
  const find = world.store.find.bind(world.store);
  world.store.find = (collection, query) => {
    if (collection === 'events') pages++;
    return find(collection, query);
  };
  const sockets = [await stalled(here, admin)];
  // The kernel decides how many pages the buffers of a connection hold: one is enough.
  await eventually(async () => (pages > 0 ? true : undefined));
  let seen = 0;
  let same = 0;
  const noMoreRead = (): Promise<unknown> =>
    eventually(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      same = pages === seen ? same + 1 : 0;
      seen = pages;
      return same > 15 ? true : undefined;
    });
  await noMoreRead();
  t.ok(pages < 20, `${pages} of 41 pages were read ahead`);

  const none = `/events/${orgId}?toExport=true&timestampTo=2001-01-02T00:00:00.000Z`;
  while (sockets.length < EXPORT_LIMITS.perUser) {
    sockets.push(await stalled(here, admin));
    // Waits until the place is taken, so that the next request cannot get it first.
    await eventually(async () => ((await openExports(world)) === sockets.length ? true : undefined));
  }
  const full = await eventually(async () => {
    const answer = await admin.call('GET', none);
    return answer.status === 503 ? answer : undefined;
  });
  t.match(full.body, { code: 'OVERLOADED' });
  t.ok(Number(full.headers['retry-after']) > 0);
  t.equal((await admin.call('GET', `/events/${orgId}`)).status, 200, 'pages are still read');

  for (const socket of sockets) socket.destroy();
  await eventually(async () => ((await admin.call('GET', none)).status === 200 ? true : undefined));
  const before = pages;
  same = 0;
  await noMoreRead();
  t.ok(pages - before <= sockets.length, 'no more than the page that each was reading');

  await t.test('one organisation has its share of the places, a client that went away none', (t) =>
    shares(t, here),
  );
});

async function openExports(world: World): Promise<number> {
  const { body } = await world.call('GET', '/metrics');
  return Number(/^sentinel_query_exports_open\{[^}]*\} (\d+)$/m.exec(body)?.[1]);
}

async function shares(t: Test, here: Place): Promise<void> {
  const { world, admin, orgId } = here;
  const other = await world.organization('Other', 'olga@example.org');
  const people: Person[] = [admin];
  while (people.length < 6)
    people.push(await world.member(admin, `user${people.length}@example.org`, 'REGULAR'));
  await listen(world);
  const find = world.store.find.bind(world.store);
  let go = (): void => undefined;
  const released = new Promise<void>((resolve) => (go = resolve));
  let held = 0;
  world.store.find = async (collection, query) => {
    if (collection === 'events') held++;
    await released;
    return find(collection, query);
  };
  const gone = await stalled(here, admin);
  await eventually(async () => (held > 0 ? true : undefined));
  t.equal(await openExports(world), 1, 'counted before the first page is read');
  const closed = new Promise((resolve) => gone.once('close', resolve));
  gone.destroy();
  await closed;
  go();
  world.store.find = find;
  await eventually(async () => ((await openExports(world)) === 0 ? true : undefined));

  const sockets: Socket[] = [];
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  for (const person of people)
    for (let n = 0; n < EXPORT_LIMITS.perUser; n++) sockets.push(await stalled(here, person));
  const share = EXPORT_LIMITS.atOnce / 2;
  await eventually(async () => ((await openExports(world)) === share ? true : undefined));
  const refused = await admin.call('GET', `/events/${orgId}?toExport=true`);
  t.equal(refused.status, 503);
  t.equal(Number(refused.headers['retry-after']), EXPORT_LIMITS.retryAfterSeconds);
  t.equal(
    (await other.call('GET', `/events/${other.orgId}?toExport=true`)).status,
    200,
    'another organisation exports',
  );
}
