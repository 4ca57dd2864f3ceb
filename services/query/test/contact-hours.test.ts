/** Tests the contact of files by hour: the worst look is kept, and an hour without a look is not known. */
import { randomUUID } from 'node:crypto';
import {
  CLOCK_COLLECTION,
  createMetrics,
  NotDurableError,
  openDataFolder,
  openEmbeddedDocumentStore,
  OverloadedError,
  silentLog,
  type DocumentStore,
  type Timers,
} from '@sentinel-node/platform';
import { openMongoDocumentStore } from '@sentinel-node/platform/mongodb';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { startMongo } from '@sentinel-node/test-kit/test-servers';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import {
  CONTACT_HOURS_COLLECTION,
  contactCounts,
  contactParts,
  isLookDue,
  readContact,
  withLook,
  type ContactHour,
} from '../src/dashboard/contact-hours.ts';
import { lookAtContacts, startContactLooks } from '../src/dashboard/contact-looks.ts';
import { Summaries } from '../src/dashboard/summaries.ts';
import { removeExpired } from '../src/signin/housekeeping.ts';
import { VIEW_COLLECTIONS, VIEWS } from '../src/views/index.ts';
import { createPlace } from './place.ts';

/** On a machine that does much else. */
t.setTimeout(900_000);
const START = Date.UTC(2026, 10, 21, 10);
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
const counts = (inContact: number, waiting: number, lost: number) => ({ inContact, waiting, lost });
const look = (held: ContactHour | undefined, now: number, found: ReturnType<typeof counts>): ContactHour =>
  withLook(held, { orgId: 'org', now, counts: found });

t.test(
  'given several looks, then an hour keeps the counts of the worst and the number of looks',
  async (t) => {
    let hour = look(undefined, START, counts(5, 0, 0));
    hour = look(hour, START + 15 * MINUTE_MS, counts(2, 1, 2));
    hour = look(hour, START + 30 * MINUTE_MS, counts(1, 2, 2));
    hour = look(hour, START + 45 * MINUTE_MS, counts(4, 0, 1));
    t.match(hour, { ...counts(1, 2, 2), rev: 4, start: START, expiresAt: START + 32 * DAY_MS });
    t.strictSame(contactParts([hour], [START, START + HOUR_MS]), [
      { start: '2026-11-21T10:00:00.000Z', ...counts(1, 2, 2), looks: 4 },
    ]);
  },
);

t.test('given a look, then the next is due in the next quarter of an hour', async (t) => {
  const at = (minutes: number) => START + minutes * MINUTE_MS;
  t.ok(isLookDue(undefined, START));
  t.notOk(isLookDue({ lookedAt: at(1) }, at(14)));
  t.ok(isLookDue({ lookedAt: at(14) }, at(15)));
});

t.test('given parts of days, then each has its worst hour, and one without a look is left out', async (t) => {
  const bounds = [0, 6, 12, 18].map((hours) => START + hours * HOUR_MS);
  const hours = [
    look(undefined, START, counts(3, 0, 0)),
    look(undefined, START + 5 * HOUR_MS, counts(1, 0, 2)),
    look(undefined, START + 12 * HOUR_MS, counts(0, 0, 0)),
  ];
  t.strictSame(contactParts(hours, bounds), [
    { start: '2026-11-21T10:00:00.000Z', ...counts(1, 0, 2), looks: 2 },
    { start: '2026-11-21T22:00:00.000Z', ...counts(0, 0, 0), looks: 1 },
  ]);
  t.strictSame(contactParts([], bounds), []);
});

t.test('files that are neither waiting nor lost are in contact', async (t) => {
  const performance = {
    numberOfFilesMonitored: 10,
    numberOfFilesWaiting: 3,
    numberOfFilesWithoutContact: 5,
  };
  t.strictSame(contactCounts({ performance } as never), counts(2, 3, 5));
});

t.test('given a start, then nothing is looked at until agents had time to report', async (t) => {
  const clock = new ManualClock(START);
  let run: () => Promise<void> = async () => undefined;
  let scans = 0;
  const timers: Timers = {
    delay: async () => undefined,
    every: (_, task) => {
      run = task;
      return { stop: async () => undefined, failed: new Promise<never>(() => undefined) };
    },
  };
  const pages: DocumentStore['scan'] = async function* () {
    scans++;
    yield [];
  };
  const store = { scan: pages, getMany: async () => [] } as unknown as DocumentStore;
  const summaries = { glance: async () => t.fail('no organisation') as never };
  startContactLooks({ store, clock, timers, summaries, log: silentLog() });
  await run();
  clock.advance(10 * MINUTE_MS - 1);
  await run();
  t.equal(scans, 0);
  clock.advance(1);
  await run();
  t.equal(scans, 1);
});

t.test('given an organisation whose look fails, then the others are looked at', async (t) => {
  const pages: DocumentStore['scan'] = async function* () {
    yield [{ id: 'busy' }, { id: 'calm' }] as never;
  };
  const store = { scan: pages, getMany: async () => [] } as unknown as DocumentStore;
  const looked: string[] = [];
  const glance = async (orgId: string): Promise<never> => {
    looked.push(orgId);
    throw orgId === 'busy' ? new NotDurableError('too large') : new OverloadedError('its share is full');
  };
  const lines: object[] = [];
  const log = { warn: (line: object) => void lines.push(line) };
  const context = { store, clock: new ManualClock(START), log };
  await lookAtContacts({ ...context, summaries: { glance } });
  t.strictSame(looked, ['busy', 'calm']);
  matchList(t, lines, [{ orgId: 'busy', err: { code: 'NOT_DURABLE' } }]);
  const broken = { glance: () => Promise.reject(new Error('broken')) };
  await t.rejects(lookAtContacts({ ...context, summaries: broken }), /broken/);
});

/** Two processes over one store look at one organisation. */
async function twoProcesses(t: Test, store: DocumentStore): Promise<void> {
  const clock = new ManualClock(START);
  await store.ensure([...VIEW_COLLECTIONS, CLOCK_COLLECTION, CONTACT_HOURS_COLLECTION]);
  const [orgId, other] = [randomUUID(), randomUUID()];
  await store.bulkUpsert(
    VIEWS.organizations,
    [orgId, other].map((id) => ({ id, rev: 1, name: 'Acme', stripeId: null, creationDate: START })),
  );
  const processes = [0, 1].map(() => ({
    store,
    clock,
    log: silentLog(),
    summaries: new Summaries({
      store,
      clock,
      log: silentLog(),
      metrics: createMetrics('query', { processMetrics: false }),
      isSoleWriter: false,
    }),
  }));
  const lookAll = () => Promise.all(processes.map((one) => lookAtContacts(one)));
  const read = (hours: number) => {
    const end = START + hours * HOUR_MS;
    return readContact(
      store,
      orgId,
      Array.from({ length: 25 }, (_, at) => end - (24 - at) * HOUR_MS),
    );
  };
  await lookAll();
  await lookAll();
  t.strictSame(await read(1), [{ start: '2026-11-21T10:00:00.000Z', ...counts(0, 0, 0), looks: 1 }]);
  clock.advance(15 * MINUTE_MS);
  await lookAll();
  matchList(t, await read(1), [{ looks: 2 }]);
  clock.advance(2 * HOUR_MS);
  await lookAll();
  t.strictSame(
    (await read(3)).map(({ start }) => start),
    ['2026-11-21T10:00:00.000Z', '2026-11-21T12:00:00.000Z'],
    'an hour without a look is not known',
  );
  t.equal(await store.count(CONTACT_HOURS_COLLECTION.name), 4, 'two hours of two organisations');
  clock.advance(32 * DAY_MS);
  await removeExpired(store, CONTACT_HOURS_COLLECTION.name, clock.now());
  t.equal(await store.count(CONTACT_HOURS_COLLECTION.name), 0);
}

t.test('given two processes over the embedded store, then each quarter has one look', async (t) => {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(() => store.close().then(() => folder.release()));
  await twoProcesses(t, store);
});

const server = await startMongo(t);
if (server !== undefined)
  void t.test('given two processes over MongoDB, then each quarter has one look', async (t) => {
    const database = `test-${randomUUID()}`;
    const store = await openMongoDocumentStore({ url: server.url, database, log: silentLog() });
    t.teardown(() => store.close());
    await twoProcesses(t, store);
  });

t.test('the API answers the looks at real files, in hours and in parts of days', async (t) => {
  const { world, admin, orgId } = await createPlace(t);
  const { store, clock } = world;
  const summaries = new Summaries({
    store,
    clock,
    log: silentLog(),
    metrics: createMetrics('query', { processMetrics: false }),
    isSoleWriter: false,
  });
  const hours = async () => (await admin.call('GET', `/dashboard/${orgId}`)).body.contact;
  t.strictSame(await hours(), []);
  await lookAtContacts({ store, clock, summaries, log: silentLog() });
  const [hour] = await hours();
  t.match(hour, { ...counts(0, 1, 0), looks: 1 }, 'a file that was never heard of waits');
  t.equal(hour.start, new Date(Math.floor(clock.now() / HOUR_MS) * HOUR_MS).toISOString());
  for (const period of ['7d', '30d']) {
    const { body } = await admin.call('GET', `/dashboard/${orgId}/activity?period=${period}`);
    matchList(t, body.contact, [{ start: body.parts.at(-1).start, ...counts(0, 1, 0), looks: 1 }]);
  }
});
