/** Where telling begins and goes on, and what webhooks are given. */
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import {
  checkpointAt,
  CHECKPOINTS_COLLECTION,
  createMetrics,
  EMBEDDED_TOPICS,
  NotDurableError,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  silentLog,
  systemRandom,
  systemTimers,
  type DocumentStore,
  type EventLog,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { GROUPS, partitionOf, TOPICS } from '@sentinel-node/contracts';
import { NON_VIEWS } from '../src/collections.ts';
import { MailLimits } from '../src/mail/mail-limits.ts';
import { MAIL_LIMITS, MailOutbox } from '../src/mail/outbox.ts';
import { MAILS_COLLECTION } from '../src/mail/queued-mail.ts';
import { recipientNow } from '../src/recipient-now.ts';
import { deliver, type SourcedNotice } from '../src/notifications/deliver.ts';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import { sendDue } from '../src/notifications/mail-sender.ts';
import { notifierOf, type NotifierDeps } from '../src/notifications/notifier.ts';
import { MAILBOXES_COLLECTION, MailboxWriter } from '../src/notifications/mailboxes.ts';
import type { NoticeTargets } from '../src/notifications/notice.ts';
import { causeId } from '../src/notifications/notice-id.ts';
import { addressRecipient, unsubscribing, userRecipient } from '../src/notifications/settings.ts';
import { DEFAULT_RULE } from '../src/registry/notification-rule.ts';
import {
  ContactViews,
  RegistryViews,
  VIEW_COLLECTIONS,
  VIEWS,
  type NotificationRuleView,
  type UserView,
} from '../src/views/index.ts';
import { appendChain, FileHistory, uuid } from './chain-records.ts';
import { eventually } from './world.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const ORG = uuid(1);
const KEY = { orgId: ORG, deviceId: uuid(2), fileId: uuid(3) };
const ADA: UserView = {
  id: uuid(4),
  rev: 1,
  orgId: ORG,
  name: 'Ada',
  emailAddress: 'ada@example.org',
  role: 'ADMIN',
  active: true,
  creationDate: 0,
  deleted: false,
};

interface Stage {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly deps: NotifierDeps & { readonly clock: ManualClock };
  /** Texts that wait for the administrator. */
  waiting(): Promise<string[]>;
  /** Resolves when every record of the log was looked at. */
  caughtUp(): Promise<void>;
}

async function openStage(t: Test): Promise<Stage> {
  const folder = openDataFolder(t.testdir());
  const [eventLog, store] = await Promise.all([
    openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS }),
    openEmbeddedDocumentStore({ folder }),
  ]);
  t.teardown(async () => {
    await eventLog.close();
    await store.close();
    folder.release();
  });
  await store.ensure([...NON_VIEWS, ...VIEW_COLLECTIONS]);
  await store.bulkUpsert(VIEWS.users, [ADA]);
  const clock = new ManualClock(AT);
  const log = silentLog();
  const shared = { store, clock, log, random: systemRandom, timers: systemTimers };
  const deps: Stage['deps'] = {
    ...shared,
    eventLog,
    storeOf: () => store,
    mailboxes: new MailboxWriter(store),
    mail: new MailOutbox({
      ...shared,
      mailer: { send: async () => undefined },
      recipientNow: recipientNow(store, clock, new RegistryViews({ ...shared, eventLog })),
    }),
    mailLimits: new MailLimits(store, clock, { invitationsPerDay: 1, mailsPerAddressPerDay: 1 }),
    publicUrl: 'https://s',
    unsubscribing: unsubscribing('a secret of the tests, long enough for it'),
  };
  const caughtUp = async (): Promise<void> =>
    void (await eventually(async () => {
      const done = await eventLog.committed(TOPICS.chain, 'query-notifier');
      const bounds = await eventLog.bounds(TOPICS.chain);
      return bounds.every(({ partition, end }) => end === 0 || done.get(partition) === end) || undefined;
    }));
  const waiting = async (): Promise<string[]> => {
    const found = await store.find(MAILBOXES_COLLECTION.name, { limit: 10 });
    return found.flatMap((mailbox) => mailbox.waiting.map(({ notice }) => notice.text));
  };
  return { store, eventLog, deps, waiting, caughtUp };
}

/** The log after it forgot the positions of all groups: a group begins with the first record again. */
const forgetful = (eventLog: EventLog): EventLog =>
  Object.assign(Object.create(eventLog) as EventLog, {
    consume: ((topics, group, handler, options) =>
      eventLog.consume(topics, `${group}-again`, handler, options)) satisfies EventLog['consume'],
    bounds: eventLog.bounds.bind(eventLog),
  });

t.test('a first start on an old log tells nothing of before; a later one goes on', async (t) => {
  const { eventLog, deps, waiting, caughtUp } = await openStage(t);
  const history = new FileHistory(KEY, AT);
  history.baseline();
  const breach = async (): Promise<void> => {
    history.breach();
    await appendChain(eventLog, history.records.splice(0));
  };
  await breach();
  const first = notifierOf(deps);
  await first.start();
  await caughtUp();
  t.strictSame(await waiting(), []);
  await breach();
  await caughtUp();
  t.equal((await waiting()).length, 1);
  await first.stop();
  await breach();
  const second = notifierOf(deps);
  await second.start();
  await caughtUp();
  t.equal((await waiting()).length, 2, 'what happened in between is told');
  await second.stop();
});

t.test('a log that forgot how far the notifier was tells nothing again', async (t) => {
  const { eventLog, deps, waiting, caughtUp } = await openStage(t);
  const history = new FileHistory(KEY, AT);
  const breach = async (): Promise<void> => {
    history.breach();
    await appendChain(eventLog, history.records.splice(0));
  };
  history.baseline();
  const first = notifierOf(deps);
  await first.start();
  await breach();
  await caughtUp();
  await first.stop();
  // A mailbox knows again what it was told; webhooks and the topic of notices do not.
  const mailboxes = await deps.store.find(MAILBOXES_COLLECTION.name, { limit: 10 });
  await deps.store.remove(
    MAILBOXES_COLLECTION.name,
    mailboxes.map(({ id }) => id),
  );
  t.strictSame(await waiting(), []);
  await breach();
  const second = notifierOf({ ...deps, eventLog: forgetful(eventLog) });
  await second.start();
  await eventually(async () => (await waiting()).length > 0 || undefined);
  await second.stop();
  t.equal((await waiting()).length, 1, 'only what came in between is told');
});

/** A registry of whose records the views have none, until `project` is called. */
async function viewsBehind({ store, eventLog }: Pick<Stage, 'store' | 'eventLog'>) {
  await store.ensure([CHECKPOINTS_COLLECTION]);
  await eventLog.append(TOPICS.registry, [{ key: ORG, id: 'x', body: Buffer.from('{}') }]);
  const project = async (): Promise<void> => {
    for (const { partition, end } of await eventLog.bounds(TOPICS.registry))
      await store.writeBatches([
        checkpointAt({ group: GROUPS.projector, topic: TOPICS.registry, partition }, end),
      ]);
  };
  return { project };
}

t.test('a notice waits for views that do not have the newest rules yet', async (t) => {
  const stage = await openStage(t);
  const { store, deps, waiting, caughtUp } = stage;
  const { project } = await viewsBehind(stage);
  const lines: object[] = [];
  const log = Object.assign(silentLog(), { warn: (line: object) => void lines.push(line) });
  const notifier = notifierOf({ ...deps, log });
  await notifier.start();
  const history = new FileHistory(KEY, AT);
  history.baseline();
  history.breach();
  await appendChain(stage.eventLog, history.records);
  const isHeld = (): boolean => lines.some((line) => 'topic' in line);
  await eventually(async () => isHeld() || (await waiting()).length > 0 || undefined);
  const to = { administrators: false, userIds: [], addresses: ['eve@example.org'], webhookIds: [] };
  await store.bulkUpsert(VIEWS.notificationRules, [ruleFor(1, { to })]);
  await project();
  await caughtUp();
  const found = await store.find(MAILBOXES_COLLECTION.name, { limit: 10 });
  t.strictSame(found.map(({ address }) => address).sort(), ['eve@example.org', null]);
  await notifier.stop();
});

t.test(
  'views are current for contacts once they have what the log had, or had at the look before',
  async (t) => {
    const { eventLog, deps } = await openStage(t);
    const topic = TOPICS.deviceHealth;
    let projected = 0;
    const log: EventLog = Object.assign(Object.create(eventLog) as EventLog, {
      bounds: eventLog.bounds.bind(eventLog),
      committed: (async (of) => {
        const all = await eventLog.bounds(of);
        return new Map(all.map(({ partition, end }) => [partition, Math.min(end, projected)]));
      }) satisfies EventLog['committed'],
    });
    const views = new ContactViews({ ...deps, eventLog: log, behindMs: 60_000 });
    await views.confirm();
    const hear = (id: string) => eventLog.append(topic, [{ key: 'd', id, body: Buffer.from('{}') }]);
    await hear('1');
    await t.rejects(views.confirm(), { code: 'NOT_CAUGHT_UP', message: new RegExp(topic) });
    projected = 1;
    await hear('2');
    deps.clock.advance(30_000);
    await views.confirm();
    await t.rejects(views.confirm(), { code: 'NOT_CAUGHT_UP' });
    projected = 2;
    await hear('3');
    deps.clock.advance(60_001);
    await t.rejects(views.confirm(), { code: 'NOT_CAUGHT_UP' }, 'the look before is too long ago');
    projected = 3;
    await views.confirm();
  },
);

/**
 * A registry of two partitions that gets a record in each at every look. `project`: the views have the first `next` of a
 * partition.
 */
async function growingRegistry({ store, eventLog, deps }: Stage) {
  await store.ensure([CHECKPOINTS_COLLECTION]);
  let records = 0;
  const growing: EventLog = Object.assign(Object.create(eventLog) as EventLog, {
    bounds: (async (topic) => {
      if (topic !== TOPICS.registry) return eventLog.bounds(topic);
      records += 1;
      return [0, 1].map((partition) => ({ partition, start: 0, end: records }));
    }) satisfies EventLog['bounds'],
    consume: eventLog.consume.bind(eventLog),
  });
  const timers = { delay: () => Promise.resolve() };
  const views = new RegistryViews({ ...deps, timers, eventLog: growing });
  const project = async (partition: number, next: number): Promise<void> =>
    store.writeBatches([checkpointAt({ group: GROUPS.projector, topic: TOPICS.registry, partition }, next)]);
  return { views, project, clock: deps.clock, growing, records: () => records };
}
const BEHIND = { code: 'NOT_CAUGHT_UP' };

t.test('a notice is given out although the views are always behind', async (t) => {
  const stage = await openStage(t);
  const { deps, waiting } = stage;
  const { growing, project, records } = await growingRegistry(stage);
  let found = 0;
  const log = Object.assign(silentLog(), {
    warn: (line: object) => {
      if ('topic' in line) found ||= records();
    },
  });
  const notifier = notifierOf({ ...deps, eventLog: growing, log });
  await notifier.start();
  const history = new FileHistory(KEY, AT);
  history.baseline();
  history.breach();
  await appendChain(stage.eventLog, history.records);
  await eventually(() => Promise.resolve(found || undefined));
  await Promise.all([project(0, found), project(1, found)]);
  await eventually(async () => (await waiting()).length > 0 || undefined);
  await notifier.stop();
});

t.test('a wait for the views ends although they are always behind', async (t) => {
  const { views, project, clock } = await growingRegistry(await openStage(t));
  const wait = views.waiting();
  await t.rejects(wait.confirm(), BEHIND);
  await project(0, 1);
  clock.advance(3_600_000);
  await t.rejects(wait.confirm(), BEHIND, 'a partition is behind what the first attempt found');
  await project(1, 1);
  await wait.confirm();
  await t.rejects(wait.confirm(), BEHIND, 'a new wait is for what is there now');
  await project(0, 2);
  await project(1, 2);
  await t.rejects(views.waiting().confirm(), BEHIND, 'another wait is for what came meanwhile, too');
  await wait.confirm();
});

t.test('the ends that a wait found count as long as it says', async (t) => {
  const { views, project, clock } = await growingRegistry(await openStage(t));
  const wait = views.waiting(60_000);
  await t.rejects(wait.confirm(), BEHIND);
  await project(0, 1);
  await project(1, 1);
  clock.advance(60_001);
  await t.rejects(wait.confirm(), BEHIND);
  await project(0, 2);
  await project(1, 2);
  clock.advance(60_000);
  await wait.confirm();
});

t.test('the views of an organization do not wait for the commits of another one', async (t) => {
  const { views, project } = await growingRegistry(await openStage(t));
  await project(0, 100);
  const orgIds = Array.from({ length: 20 }, (_, n) => uuid(n));
  const [current, behind] = [0, 1].map((partition) =>
    orgIds.filter((id) => partitionOf(id, 2) === partition),
  );
  await views.waiting().confirm(current);
  await t.rejects(views.waiting().confirm([...current!, behind![0]!]), BEHIND);
  await t.rejects(views.waiting().confirm(), BEHIND);
});

t.test('a notifier that stands still shows by its age, and logs why once', async (t) => {
  const stage = await openStage(t);
  const { deps, caughtUp } = stage;
  const { project } = await viewsBehind(stage);
  const metrics = createMetrics('test', { processMetrics: false });
  const held = async () => /^sentinel_notifier_held_seconds\{.*\} (.+)$/m.exec(await metrics.text())?.[1];
  const lines: object[] = [];
  const log = Object.assign(silentLog(), { warn: (line: object) => void lines.push(line) });
  const time = { now: 0 };
  const notifier = notifierOf({ ...deps, metrics, log, now: () => time.now });
  await notifier.start();
  t.equal(await held(), '0');
  const history = new FileHistory(KEY, AT);
  history.baseline();
  history.breach();
  await appendChain(stage.eventLog, history.records);
  const ofBatch = () => lines.filter((line) => 'topic' in line);
  await eventually(() => Promise.resolve(ofBatch().length > 0 || undefined));
  time.now += 400_000;
  t.equal(await held(), '400');
  await project();
  await caughtUp();
  await eventually(async () => (await held()) === '0' || undefined);
  matchList(t, ofBatch(), [{ topic: TOPICS.chain, err: { code: 'NOT_CAUGHT_UP' } }]);
  await notifier.stop();
});

t.test('a mailbox that others keep changing fails those who write to it, and nobody else', async (t) => {
  const { store } = await openStage(t);
  const { name } = MAILBOXES_COLLECTION;
  const contended = new Proxy(store, {
    get: (target, method: keyof DocumentStore) =>
      method !== 'getMany'
        ? target[method].bind(target)
        : async (collection: string, ids: string[]) => {
            const found = await target.getMany(collection, ids);
            return found.filter(({ id }) => collection !== name || id !== userRecipient(ORG, 'busy').id);
          },
  });
  const writer = new MailboxWriter(contended);
  const give = (userId: string): Promise<void> => {
    const waiting = { ...foundNotice(1), rule: 'A', required: false, single: true, addedAt: AT, dueAt: AT };
    return writer.add([{ recipient: userRecipient(ORG, userId), additions: [{ waiting }] }]);
  };
  const [busy, calm] = await Promise.allSettled([give('busy'), give('calm')]);
  t.match(busy, { reason: { code: 'OVERLOADED' } });
  t.match(calm, { status: 'fulfilled' });
  t.equal((await store.get(name, userRecipient(ORG, 'calm').id))?.waiting.length, 1);
});

t.test('of two processes one hands on the mails of a mailbox, and another when it ends before', async (t) => {
  const { store, deps } = await openStage(t);
  const views = { areCurrent: async () => true };
  await deliver(deps, [foundNotice(1)]);
  deps.clock.advance(NOTIFICATION_LIMITS.settleMs);
  const handedOn: string[] = [];
  const mailOf = (name: string, work: () => Promise<void>): NotifierDeps['mail'] =>
    Object.assign(Object.create(deps.mail) as NotifierDeps['mail'], {
      prepare: async () => {
        handedOn.push(name);
        await work();
      },
      wake: () => undefined,
    });
  const others = mailOf('the other', async () => undefined);
  const lookElsewhere = async (): Promise<void> => {
    await deliver(deps, [foundNotice(2)]);
    await sendDue({ ...deps, views, mail: others });
    throw new NotDurableError('ended by the test');
  };
  const one = mailOf('one', lookElsewhere);
  await t.rejects(sendDue({ ...deps, views, mail: one }), { code: 'NOT_DURABLE' });
  t.strictSame(handedOn, ['one'], 'also when another notice comes meanwhile');
  deps.clock.advance(60_000);
  await sendDue({ ...deps, views, mail: others });
  t.strictSame(handedOn, ['one', 'the other']);
  const [mailbox] = await store.find(MAILBOXES_COLLECTION.name, { limit: 1 });
  t.strictSame([mailbox?.sending.length, mailbox?.waiting.length], [0, 1]);
});

t.test('a recipient whom the views do not have yet keeps the notices that wait', async (t) => {
  const stage = await openStage(t);
  const { store, deps, waiting } = stage;
  await deliver(deps, [foundNotice(1)]);
  await store.remove(VIEWS.users, [ADA.id]);
  const { project } = await viewsBehind(stage);
  const views = new RegistryViews(deps);
  const send = async (): Promise<void> => {
    deps.clock.advance(60_000);
    await sendDue({ ...deps, views });
  };
  await send();
  t.equal((await waiting()).length, 1);
  await project();
  await store.bulkUpsert(VIEWS.users, [ADA]);
  await send();
  t.equal(await store.count(MAILS_COLLECTION.name), 1);
  await store.remove(VIEWS.users, [ADA.id]);
  await deliver(deps, [foundNotice(2)]);
  await send();
  t.strictSame(await waiting(), [], 'who is gone gets none');
});

t.test('a mail that waits for the mail server is kept while the views do not have its rule', async (t) => {
  const stage = await openStage(t);
  const { store, deps } = stage;
  const { clock } = deps;
  const { project } = await viewsBehind(stage);
  const sent: string[] = [];
  const mail = new MailOutbox({
    ...{ store, clock, log: silentLog(), random: systemRandom, timers: systemTimers },
    mailer: { send: async ({ to }) => void sent.push(to) },
    recipientNow: recipientNow(store, clock, new RegistryViews(deps)),
  });
  const wait = (address: string): Promise<void> => {
    const recipient = addressRecipient(ORG, address);
    const message = { to: address, subject: 's', text: 't', html: 'h', links: [] };
    return mail.prepare(ORG, message, { kind: 'NOTICE', recipient, required: false });
  };
  await wait('eve@example.org');
  await wait('gone@example.org');
  const deliverLater = async (): Promise<void> => {
    clock.advance(2 * MAIL_LIMITS.commitMs);
    await mail.deliver();
  };
  await deliverLater();
  await mail.prepare(ORG, { to: 'x@example.org', subject: '', text: '', html: '', links: [] }, null);
  await deliverLater();
  t.strictSame(sent, ['x@example.org'], 'what waits for the views holds up no other mail');
  t.equal(await store.count(MAILS_COLLECTION.name), 2);
  const to = { administrators: false, userIds: [], addresses: ['eve@example.org'], webhookIds: [] };
  await store.bulkUpsert(VIEWS.notificationRules, [ruleFor(1, { to })]);
  await project();
  await deliverLater();
  t.strictSame(sent, ['x@example.org', 'eve@example.org']);
  t.equal(await store.count(MAILS_COLLECTION.name), 0, 'whom no rule names gets none');
});

t.test('a record of the operations that nobody can read is passed over with an alarm', async (t) => {
  const { eventLog, deps } = await openStage(t);
  const lines: object[] = [];
  const log = Object.assign(silentLog(), { error: (line: object) => void lines.push(line) });
  const notifier = notifierOf({ ...deps, log });
  await notifier.start();
  await eventLog.append(TOPICS.operations, [{ key: 'x', id: 'x', body: Buffer.from('foreign') }]);
  await eventually(
    async () => (await eventLog.committed(TOPICS.operations, 'query-notifier')).get(0) === 1 || undefined,
  );
  t.same(lines, [{ topic: TOPICS.operations, partition: 0, offset: 0 }]);
  await notifier.stop();
});

t.test('a record that nobody can read ends telling with an alarm', async (t) => {
  const { eventLog, deps } = await openStage(t);
  const lines: object[] = [];
  const log = Object.assign(silentLog(), { fatal: (line: object) => void lines.push(line) });
  const notifier = notifierOf({ ...deps, log });
  await notifier.start();
  await eventLog.append(TOPICS.registry, [{ key: 'x', id: 'x', body: Buffer.from('{"v":2}') }]);
  await t.rejects(notifier.failed, { name: 'UnreadableRecordError' });
  matchList(t, lines, [{ err: { name: 'UnreadableRecordError' } }]);
  t.equal((await eventLog.committed(TOPICS.registry, 'query-notifier')).size, 0, 'nothing was passed over');
  await notifier.stop();
});

const foundNotice = (n: number): SourcedNotice => ({
  notice: {
    id: causeId(AT, String(n)),
    type: 'alert.raised',
    orgId: ORG,
    at: new Date(AT).toISOString(),
    severity: 'warning',
    orderKey: 'a',
    text: `Number ${n}.`,
  },
});

const ruleFor = (n: number, more: Partial<NotificationRuleView>): NotificationRuleView => ({
  ...DEFAULT_RULE,
  id: uuid(10 + n),
  rev: 1,
  orgId: ORG,
  changedAt: AT,
  changedBy: '',
  deleted: false,
  ...more,
});

t.test(
  'webhooks are given each notice once and in order, and one that is full holds up nobody',
  async (t) => {
    const { store, deps, waiting } = await openStage(t);
    const nobody = { administrators: false, userIds: [], addresses: [] };
    await store.bulkUpsert(VIEWS.notificationRules, [
      ruleFor(1, {
        to: { ...nobody, webhookIds: ['one', 'full'] },
        quietHours: { from: '00:00', to: '23:59' },
      }),
      ruleFor(2, { to: { ...nobody, webhookIds: ['one'] } }),
      ruleFor(3, { to: { ...nobody, webhookIds: ['off'] }, enabled: false }),
      ruleFor(4, { to: { ...nobody, webhookIds: ['gone'] }, deleted: true }),
    ]);
    const given: string[] = [];
    const webhooks: NoticeTargets = {
      enqueueAll: async (_, notices) => {
        for (const [id, own] of notices)
          if (id !== 'full') given.push(...own.map(({ text }) => `${id} ${text}`));
        return new Map([['full', 1]]);
      },
    };
    const lines: object[] = [];
    const log = Object.assign(silentLog(), { error: (line: object) => void lines.push(line) });
    await deliver({ ...deps, log, webhooks }, [foundNotice(1), foundNotice(2)]);
    t.strictSame(given, ['one Number 1.', 'one Number 2.'], 'machines have no quiet hours');
    matchList(
      t,
      lines,
      [{ webhookId: 'full', noticeIds: [foundNotice(2).notice.id] }],
      'what was left out is named',
    );
    t.equal((await waiting()).length, 2, 'the mails of the default rule');
  },
);

t.test('a notice that several rules tell is one mail, at the earliest', async (t) => {
  const { store, deps } = await openStage(t);
  await store.bulkUpsert(VIEWS.notificationRules, [
    ruleFor(1, { how: 'DAILY', required: true, name: 'Daily' }),
    ruleFor(2, { how: 'GATHERED', name: 'Gathered' }),
  ]);
  await deliver(deps, [foundNotice(1)]);
  const [mailbox] = await store.find(MAILBOXES_COLLECTION.name, { limit: 10 });
  matchList(t, mailbox!.waiting, [{ rule: DEFAULT_RULE.name, required: true, single: true }]);
  t.equal(mailbox!.waiting.length, 1);
});

/** Twenty recipients, and a store that counts reads and writes of mailboxes; `onCall` runs after the next one. */
async function openMailboxes(t: Test) {
  const { store, deps } = await openStage(t);
  const addresses = Array.from({ length: 20 }, (_, n) => `n${n}@example.org`);
  const to = { administrators: false, userIds: [], addresses, webhookIds: [] };
  await store.bulkUpsert(VIEWS.notificationRules, [ruleFor(0, { id: ORG, to })]);
  const { name } = MAILBOXES_COLLECTION;
  const counts = { reads: 0, writes: 0 };
  const WRITES = new Set<PropertyKey>(['insertUnique', 'update', 'bulkUpsert']);
  let next: (() => Promise<void>) | undefined;
  const watched = new Proxy(store, {
    get: (of, property) => {
      const value = of[property as keyof DocumentStore] as (...given: unknown[]) => Promise<unknown>;
      return async (...given: unknown[]) => {
        const found = await value.apply(of, given);
        if (given[0] !== name) return found;
        if (WRITES.has(property)) counts.writes += 1;
        else counts.reads += 1;
        const run = next;
        next = undefined;
        await run?.();
        return found;
      };
    },
  });
  const texts = async (): Promise<string[][]> => {
    const found = await store.find(name, { limit: 100 });
    return found.map(({ waiting }) => waiting.map(({ notice }) => notice.text).sort());
  };
  const onCall = (run: () => Promise<void>): void => void (next = run);
  const watchedDeps = {
    ...deps,
    store: watched,
    storeOf: () => watched,
    mailboxes: new MailboxWriter(watched),
  };
  return { deps, watchedDeps, counts, texts, onCall, mailboxes: addresses.length };
}

t.test(
  'the mailboxes of a rule are read, and written, together; one that changes meanwhile loses nothing',
  async (t) => {
    const { deps, watchedDeps, counts, texts, onCall, mailboxes } = await openMailboxes(t);
    await deliver(watchedDeps, [foundNotice(1)]);
    t.strictSame(counts, { reads: 2, writes: 1 });
    onCall(() => deliver(deps, [foundNotice(3)]));
    await deliver(watchedDeps, [foundNotice(2)]);
    const all = ['Number 1.', 'Number 2.', 'Number 3.'];
    t.strictSame(
      await texts(),
      Array.from({ length: mailboxes }, () => all),
    );
  },
);

t.test('batches that come during a write of mailboxes are written together', async (t) => {
  const { watchedDeps, counts, texts, mailboxes } = await openMailboxes(t);
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  await Promise.all(numbers.map((n) => deliver(watchedDeps, [foundNotice(n)])));
  t.ok(counts.writes <= 3, `${counts.writes} writes`);
  const all = numbers.map((n) => `Number ${n}.`);
  t.strictSame(
    await texts(),
    Array.from({ length: mailboxes }, () => all),
  );
});

t.test('a failed write of mailboxes fails the batches that it held, and no later one', async (t) => {
  const { watchedDeps, texts, onCall, mailboxes } = await openMailboxes(t);
  onCall(() => Promise.reject(new Error('the store is away')));
  await t.rejects(deliver(watchedDeps, [foundNotice(1)]), { message: 'the store is away' });
  await deliver(watchedDeps, [foundNotice(1)]);
  t.strictSame(
    await texts(),
    Array.from({ length: mailboxes }, () => ['Number 1.']),
  );
});
