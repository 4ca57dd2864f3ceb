/** Where telling begins and goes on, and what webhooks are given. */
import t, { type Test } from 'tap';
import {
  EMBEDDED_TOPICS,
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
import { TOPICS } from '@sentinel-node/contracts';
import { NON_VIEWS } from '../src/collections.ts';
import { MailLimits } from '../src/mail/mail-limits.ts';
import { MailOutbox } from '../src/mail/outbox.ts';
import { deliver, type SourcedNotice } from '../src/notifications/deliver.ts';
import { notifierOf, type NotifierDeps } from '../src/notifications/notifier.ts';
import { MAILBOXES_COLLECTION } from '../src/notifications/mailboxes.ts';
import type { NoticeTarget } from '../src/notifications/notice.ts';
import { causeId } from '../src/notifications/notice-id.ts';
import { unsubscribing } from '../src/notifications/settings.ts';
import { DEFAULT_RULE } from '../src/registry/notification-rule.ts';
import { VIEW_COLLECTIONS, VIEWS, type NotificationRuleView, type UserView } from '../src/views/index.ts';
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
  readonly deps: NotifierDeps;
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
  const deps: NotifierDeps = {
    ...shared,
    eventLog,
    mail: new MailOutbox({ ...shared, mailer: { send: async () => undefined } }),
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

t.test('a record that nobody can read ends telling with an alarm', async (t) => {
  const { eventLog, deps } = await openStage(t);
  const lines: object[] = [];
  const log = Object.assign(silentLog(), { fatal: (line: object) => void lines.push(line) });
  const notifier = notifierOf({ ...deps, log });
  await notifier.start();
  await eventLog.append(TOPICS.registry, [{ key: 'x', id: 'x', body: Buffer.from('{"v":2}') }]);
  await t.rejects(notifier.failed, { name: 'UnreadableRecordError' });
  t.match(lines, [{ alarm: true }]);
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
    const webhooks: NoticeTarget = {
      enqueueAll: async (id, notices) => {
        if (id === 'full') return 1;
        given.push(...notices.map(({ text }) => `${id} ${text}`));
        return 0;
      },
    };
    const lines: object[] = [];
    const log = Object.assign(silentLog(), { error: (line: object) => void lines.push(line) });
    await deliver({ ...deps, log, webhooks }, [foundNotice(1), foundNotice(2)]);
    t.strictSame(given, ['one Number 1.', 'one Number 2.'], 'machines have no quiet hours');
    t.match(
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
  t.match(mailbox!.waiting, [{ rule: DEFAULT_RULE.name, required: true, single: true }]);
  t.equal(mailbox!.waiting.length, 1);
});
