/**
 * Tests that what is lost is told once, and that its incident ends when it is heard of again, deleted, or no longer
 * monitored.
 */
import {
  CLOCK_COLLECTION,
  openDataFolder,
  openEmbeddedDocumentStore,
  silentLog,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { matchList } from '@sentinel-node/test-kit/matching';
import t, { type Test } from 'tap';
import { NON_VIEWS } from '../src/collections.ts';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import { NOTICE_STATES_COLLECTION, reportStates } from '../src/notifications/looks.ts';
import { takeTurn } from '../src/notifications/markers.ts';
import { MAILBOXES_COLLECTION, MailboxWriter } from '../src/notifications/mailboxes.ts';
import type { Notice } from '../src/notifications/notice.ts';
import type { NoticeState } from '../src/notifications/states.ts';
import { DEFAULT_RULE } from '../src/registry/notification-rule.ts';
import {
  type DeviceContactView,
  type DeviceView,
  type FileView,
  VIEW_COLLECTIONS,
  VIEWS,
} from '../src/views/index.ts';
import { DEVICE } from './device-view.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;
const confirm = (): Promise<void> => Promise.resolve();

async function openStage(t: Test) {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  await store.ensure([...NON_VIEWS, ...VIEW_COLLECTIONS]);
  const organization = { id: 'o', rev: 1, name: 'Acme', stripeId: null, creationDate: 0 };
  await store.bulkUpsert(VIEWS.organizations, [organization]);
  await store.bulkUpsert(VIEWS.devices, [DEVICE]);
  await store.bulkUpsert(VIEWS.deviceActivity, [{ id: 'd', rev: AT - HOUR_MS, orgId: 'o' }]);
  const to = { administrators: false, userIds: [], addresses: ['eve@example.com'], webhookIds: ['w'] };
  await store.bulkUpsert(VIEWS.notificationRules, [
    {
      ...{ ...DEFAULT_RULE, id: 'o', rev: 1, orgId: 'o', changedAt: AT, changedBy: '', deleted: false, to },
      when: { ...DEFAULT_RULE.when, types: ['device.lost', 'file.lost', 'file.returned', 'agent.blind'] },
    },
  ]);
  const clock = new ManualClock(AT);
  const given: Notice[] = [];
  const warnings: unknown[] = [];
  let dies = false;
  let listeningSince = 0;
  let steps = Infinity;
  let toldSince = 0;
  /** Ends as a killed process does: between the mailbox and the note that the states are told, or gone. */
  const mailboxes = new MailboxWriter(store);
  const add: MailboxWriter['add'] = async (additions) => {
    await mailboxes.add(additions);
    steps -= 1;
    if (steps > 0) return;
    steps = Infinity;
    throw new Error('killed');
  };
  const look = async (): Promise<void> => {
    clock.advance(NOTIFICATION_LIMITS.lookMs);
    const published: Notice[] = [];
    await reportStates({
      ...{ store, storeOf: () => store, clock, mailboxes: { add } },
      log: { ...silentLog(), warn: (about: unknown) => void warnings.push(about) },
      ...{ toldSince, listeningSince, views: { confirm }, contacts: { confirm } },
      webhooks: {
        enqueueAll: async (_, notices) => {
          if (dies) throw new Error('killed');
          given.push(...notices.get('w')!);
          return new Map();
        },
      },
      stream: { publish: async (notices: readonly Notice[]) => void published.push(...notices) } as never,
    });
    if (published.some(({ ends }) => ends)) throw new Error('the topic tells an end that nobody caused');
  };
  const change = (more: Partial<DeviceView>, rev: number): Promise<void> =>
    store.bulkUpsert(VIEWS.devices, [{ ...DEVICE, ...more, rev }]);
  const mails = async (): Promise<string[]> => {
    const found = await store.find(MAILBOXES_COLLECTION.name, { limit: 10 });
    return found.flatMap(({ waiting }) => waiting.map(({ notice }) => notice.text));
  };
  const restart = (): void => void (listeningSince = clock.now());
  return {
    store,
    clock,
    given,
    warnings,
    look,
    change,
    mails,
    restart,
    setToldSince: (at: number) => void (toldSince = at),
    setDies: (now: boolean) => void (dies = now),
    dieAfterSteps: (count: number) => void (steps = count),
  };
}

const ENDS = { type: 'device.lost', orderKey: 'd', text: 'Web 1 is no longer monitored.', ends: true };
const LOST = { type: 'device.lost', orderKey: 'd', text: 'Nothing is heard of Web 1.' };

for (const [what, gone] of [
  ['deleted', { deleted: true }],
  ['no longer monitored', { enabled: false }],
] as const)
  t.test(`given a lost device that is ${what}, then the loss ends, also after a crash`, async (t) => {
    const { store, given, look, change, mails, setDies } = await openStage(t);
    await look();
    matchList(t, given, [LOST]);
    await change(gone, 2);
    setDies(true);
    await t.rejects(look(), /killed/);
    setDies(false);
    await look();
    await look();
    matchList(t, given, [LOST, ENDS], 'once');
    t.equal(await store.count(NOTICE_STATES_COLLECTION.name), 0);
    t.strictSame(await mails(), [LOST.text], 'people hear of it from the notice about who did it');
  });

t.test('given monitoring that is on again, then a device that is still lost is told again', async (t) => {
  const { given, look, change } = await openStage(t);
  await look();
  for (const rev of [2, 4]) {
    await change({ enabled: false }, rev);
    await look();
    await change({ enabled: true }, rev + 1);
    await look();
  }
  matchList(t, given, [LOST, ENDS, LOST, ENDS, LOST]);
  t.equal(new Set(given.map(({ id }) => id)).size, 5, 'receivers drop an id that they had');
});

t.test(
  'given a return whose telling broke off, then a device that is lost by then is told again',
  async (t) => {
    const { store, clock, look, given, setDies, change } = await openStage(t);
    const [rule] = await store.find(VIEWS.notificationRules, { limit: 1 });
    const types = ['device.lost', 'device.returned'] as const;
    await store.bulkUpsert(VIEWS.notificationRules, [
      { ...rule!, rev: 2, when: { ...rule!.when, types: [...types] } },
    ]);
    const dieAtEnd = async (): Promise<void> => {
      setDies(true);
      await t.rejects(look(), /killed/);
      setDies(false);
    };
    const told = (): Partial<Notice>[] =>
      given.splice(0).map(({ type, text, since }) => ({ type, text, ...(since !== undefined && { since }) }));
    await look();
    matchList(t, told(), [{ type: 'device.lost' }]);
    await store.bulkUpsert(VIEWS.deviceActivity, [{ id: 'd', rev: clock.now(), orgId: 'o' }]);
    const again = new Date(clock.now() + 3 * DEVICE.healthInterval * 1_000).toISOString();
    await dieAtEnd();
    clock.advance(3 * DEVICE.healthInterval * 1_000 - NOTIFICATION_LIMITS.lookMs);
    await look();
    t.strictSame(told(), [], 'nobody has looked for a while: it is as after a start');
    clock.advance(DEVICE.healthInterval * 1_000);
    await look();
    matchList(t, told(), [{ type: 'device.returned' }, { type: 'device.lost', since: again }]);
    await look();
    t.strictSame(told(), []);

    await change({ enabled: false }, 2);
    await dieAtEnd();
    await change({ enabled: true }, 3);
    await look();
    const { text } = ENDS;
    matchList(t, told(), [{ text }, { type: 'device.lost', text: LOST.text, since: again }]);
  },
);

t.test('given a file that was deleted, then its loss and its blindness end', async (t) => {
  const { store, given, look } = await openStage(t);
  await store.bulkUpsert(VIEWS.deviceActivity, [{ id: 'd', rev: AT, orgId: 'o' }]);
  const state = { orgId: 'o', deviceId: 'd', deviceName: 'Web 1', category: 'STANDARD', why: null } as const;
  await store.insertMissing(
    NOTICE_STATES_COLLECTION.name,
    ['LOST', 'BLIND'].map((kind) => ({
      ...{ ...state, id: `${kind}:f`, rev: 1, fileId: 'f', path: '/f', since: AT, told: true, endedAt: null },
      kind: kind as 'LOST',
    })),
  );
  await look();
  const text = '/f on Web 1 is no longer monitored.';
  matchList(t, given, [
    { type: 'agent.blind', orderKey: 'f', ends: true, text },
    { type: 'file.lost', orderKey: 'f', ends: true, text },
  ]);
});

const FILE: FileView = {
  ...{ id: 'f', rev: 1, orgId: 'o', deviceId: 'd', name: 'f', description: '', path: '/f', type: 'TEXT' },
  ...{ monitoringFrequency: 'FOLLOW', rolled: false, modifiable: true, enabled: true },
  ...{ creationDate: AT - HOUR_MS, deleted: false },
};

for (const [what, problems, type, back] of [
  ['lost', undefined, 'file.lost', '/f on Web 1 is heard of again.'],
  ['not watched', { f: 'EACCES' }, 'agent.blind', 'The agent looks at /f on Web 1 again.'],
] as const)
  t.test(`given a file that is ${what} while the process starts again, then it is told once`, async (t) => {
    const { store, clock, given, look, restart } = await openStage(t);
    const hear = async (more: Pick<DeviceContactView, 'checkedAt' | 'problems'>): Promise<void> => {
      const seen = { id: 'd', rev: clock.now(), orgId: 'o' };
      await store.bulkUpsert(VIEWS.deviceActivity, [seen]);
      const agent = { agentVersion: '1', instanceId: 'i', queue: 0 };
      await store.bulkUpsert(VIEWS.deviceContacts, [{ ...seen, ...agent, ...more }]);
    };
    await store.bulkUpsert(VIEWS.files, [FILE]);
    await hear({ checkedAt: {}, ...(problems && { problems }) });
    await look();
    matchList(t, given, [{ type }]);
    restart();
    await look();
    await look();
    await look();
    t.equal(given.length, 1);
    restart();
    await look();
    const at = clock.now();
    await hear({ checkedAt: { f: at } });
    const state = { length: 1, hash: 'h', missing: false, sequence: 1, configVersion: 1, number: 0 };
    const links = { linkHash: 'l', lastLinkId: 'l', activeAlerts: 0, checkedAt: at, contactAt: at };
    await store.bulkUpsert(VIEWS.fileStates, [
      { id: 'f', rev: 1, orgId: 'o', deviceId: 'd', ...state, ...links },
    ]);
    await look();
    matchList(t, given.slice(1), [{ type: 'file.returned', text: back }]);
    t.equal(await store.count(NOTICE_STATES_COLLECTION.name), 0);
  });

t.test(
  'given a lost file that the agent cannot look at, then nobody is told that it is heard of',
  async (t) => {
    const { store, clock, given, look } = await openStage(t);
    const hear = async (problems: Readonly<Record<string, string>>): Promise<void> => {
      const seen = { id: 'd', rev: clock.now(), orgId: 'o' };
      await store.bulkUpsert(VIEWS.deviceActivity, [seen]);
      const agent = { agentVersion: '1', instanceId: 'i', queue: 0, checkedAt: {} };
      await store.bulkUpsert(VIEWS.deviceContacts, [{ ...seen, ...agent, problems }]);
    };
    await store.bulkUpsert(VIEWS.files, [FILE]);
    await hear({});
    await look();
    await hear({ f: 'EACCES' });
    await look();
    matchList(t, given, [{ type: 'file.lost' }, { type: 'agent.blind' }]);
  },
);

t.test(
  'given as many lost files as are kept, then the log counts those that nobody is told of, and devices are told',
  async (t) => {
    const { store, clock, given, look, warnings } = await openStage(t);
    const kept = Array.from({ length: NOTIFICATION_LIMITS.states }, (_, n): NoticeState => {
      const of = {
        deviceId: 'x',
        deviceName: 'Web x',
        category: 'STANDARD',
        fileId: `${n}`,
        path: '/a',
      } as const;
      const times = { since: AT - HOUR_MS, told: true, endedAt: null };
      return { id: `LOST:${n}`, rev: 2, orgId: 'o', kind: 'LOST', ...of, why: null, ...times };
    });
    await store.bulkUpsert(NOTICE_STATES_COLLECTION.name, kept);
    await store.bulkUpsert(VIEWS.files, [FILE]);
    await store.bulkUpsert(VIEWS.devices, [{ ...DEVICE, id: 'e', name: 'Web 2' }]);
    await store.bulkUpsert(VIEWS.deviceActivity, [
      { id: 'd', rev: clock.now(), orgId: 'o' },
      { id: 'e', rev: AT - HOUR_MS, orgId: 'o' },
    ]);
    await look();
    const told = given.filter(({ ends }) => ends !== true);
    matchList(t, told, [{ type: 'device.lost', text: 'Nothing is heard of Web 2.' }]);
    t.strictSame(warnings, [{ orgId: 'o', states: 1 }]);
  },
);

t.test('given minutes without a look, then a device has time to be heard of before it is lost', async (t) => {
  const { store, clock, given, look } = await openStage(t);
  const hear = (): Promise<void> =>
    store.bulkUpsert(VIEWS.deviceActivity, [{ id: 'd', rev: clock.now(), orgId: 'o' }]);
  await hear();
  await look();
  clock.advance(HOUR_MS);
  await look();
  await hear();
  await look();
  t.strictSame(given, []);
  for (let n = 0; n < 10; n += 1) await look();
  matchList(t, given, [LOST], 'silence is told as before');
});

t.test('given a turn that a clock ahead took, then looks go on by the right clock', async (t) => {
  const { store } = await openStage(t);
  const { lookMs } = NOTIFICATION_LIMITS;
  t.ok(await takeTurn(store, AT + 24 * HOUR_MS, lookMs));
  t.ok(await takeTurn(store, AT, lookMs), 'no turn lasts longer than its time');
  t.notOk(await takeTurn(store, AT, lookMs));
  t.notOk(await takeTurn(store, AT + lookMs - 1, lookMs));
  t.ok(await takeTurn(store, AT + lookMs, lookMs));
});

t.test(
  'given notices that a clock ahead started, then what is lost since it was put right is told',
  async (t) => {
    const { store, given, look, setToldSince } = await openStage(t);
    const aheadAt = AT + 365 * 24 * HOUR_MS;
    const mark = { id: 'clock', rev: 1, highest: aheadAt, since: AT - 2 * HOUR_MS, until: aheadAt };
    await store.insertMissing(CLOCK_COLLECTION.name, [mark]);
    setToldSince(aheadAt - HOUR_MS);
    await look();
    matchList(t, given, [LOST]);
  },
);

t.test('what was lost before notices started is not told', async (t) => {
  const { given, look, setToldSince } = await openStage(t);
  setToldSince(AT);
  await look();
  t.strictSame(given, []);
});

const MANY = 1_200;

/** More lost devices than one step tells. The counts of notices by type, of all mailboxes. */
async function manyLost(t: Test) {
  const stage = await openStage(t);
  const { store, clock } = stage;
  const rule = (await store.get(VIEWS.notificationRules, 'o'))!;
  const types: typeof rule.when.types = ['device.lost', 'device.returned'];
  const when = { ...rule.when, types };
  await store.bulkUpsert(VIEWS.notificationRules, [{ ...rule, rev: 2, when }]);
  const ids = Array.from({ length: MANY }, (_, n) => `d${n}`);
  await store.bulkUpsert(
    VIEWS.devices,
    ids.map((id) => ({ ...DEVICE, id, name: id })),
  );
  const hear = (at: number): Promise<void> =>
    store.bulkUpsert(
      VIEWS.deviceActivity,
      ['d', ...ids].map((id) => ({ id, rev: at, orgId: 'o' })),
    );
  await hear(AT - HOUR_MS);
  const told = async (): Promise<Partial<Record<string, number>>> => {
    const [mailbox] = await store.find(MAILBOXES_COLLECTION.name, { limit: 10 });
    const counts: Record<string, number> = { ...mailbox!.overflow?.types };
    for (const { notice } of mailbox!.waiting) counts[notice.type] = (counts[notice.type] ?? 0) + 1;
    return counts;
  };
  return { ...stage, told, hearAll: () => hear(clock.now()) };
}

t.test('given many devices that are lost and come back together, then each is told once', async (t) => {
  const { store, look, told, warnings, given, hearAll } = await manyLost(t);
  const lost = MANY + 1;
  for (let turn = 0; turn < 3; turn += 1) await look();
  t.strictSame(await told(), { 'device.lost': lost });
  t.equal(await store.count(NOTICE_STATES_COLLECTION.name, { told: true }), lost);
  await hearAll();
  for (let turn = 0; turn < 3; turn += 1) await look();
  t.strictSame(await told(), { 'device.lost': lost, 'device.returned': lost });
  t.equal(await store.count(NOTICE_STATES_COLLECTION.name), 0);
  t.equal(given.length, 2 * lost, 'webhooks hear of each once too');
  t.strictSame(warnings, []);
});

for (const after of [1, 3])
  t.test(
    `given a crash after ${after} steps of a storm, then what was told is not counted again`,
    async (t) => {
      const { look, told, hearAll, dieAfterSteps } = await manyLost(t);
      const lost = MANY + 1;
      dieAfterSteps(after);
      await t.rejects(look(), /killed/);
      await look();
      t.strictSame(await told(), { 'device.lost': lost });
      await hearAll();
      dieAfterSteps(after);
      await t.rejects(look(), /killed/);
      await look();
      t.strictSame(await told(), { 'device.lost': lost, 'device.returned': lost });
    },
  );
