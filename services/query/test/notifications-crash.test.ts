/** A process that dies before or after any of its writes: each notice is told, and has one id and one mail id. */
import t, { type Test } from 'tap';
import { organizationStream, type OrganizationEntity } from '@sentinel-node/contracts';
import {
  commit,
  openDataFolder,
  openEmbeddedDocumentStore,
  silentLog,
  systemRandom,
  systemTimers,
  type DocumentStore,
  type MailMessage,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { NON_VIEWS } from '../src/collections.ts';
import { MailLimits } from '../src/mail/mail-limits.ts';
import { MailOutbox } from '../src/mail/outbox.ts';
import { recipientNow } from '../src/recipient-now.ts';
import { deliver } from '../src/notifications/deliver.ts';
import { reportStates } from '../src/notifications/looks.ts';
import { MailboxWriter } from '../src/notifications/mailboxes.ts';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import { sendDue } from '../src/notifications/mail-sender.ts';
import type { Notice } from '../src/notifications/notice.ts';
import { causeId } from '../src/notifications/notice-id.ts';
import { unsubscribing } from '../src/notifications/settings.ts';
import { type UserView, VIEW_COLLECTIONS, VIEWS } from '../src/views/index.ts';
import { DEVICE } from './device-view.ts';

const CURRENT_VIEWS = { areCurrent: () => Promise.resolve(true), confirm: () => Promise.resolve() };
const AT = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;
const WRITES = ['insertUnique', 'insertMissing', 'update', 'bulkUpsert', 'writeBatches', 'remove'] as const;
const ORGANIZATION = { id: 'o', rev: 1, name: 'Acme', stripeId: null, creationDate: 0 };
const ADA: UserView = {
  id: 'ada',
  rev: 1,
  orgId: 'o',
  name: 'Ada',
  emailAddress: 'ada@example.org',
  role: 'ADMIN',
  active: true,
  creationDate: 0,
  deleted: false,
};
const NOTICE: Notice = {
  id: causeId(AT, 'x'),
  type: 'alert.raised',
  orgId: 'o',
  at: new Date(AT).toISOString(),
  severity: 'warning',
  orderKey: 'a',
  text: 'A new alert.',
};

class Killed extends Error {}

/** Dies at the write of this number, which is done or not done; none: it lives. */
function dyingAt(
  store: DocumentStore,
  at: number,
  isDone: boolean,
): { store: DocumentStore; writes(): number } {
  let writes = 0;
  const dying = new Proxy(store, {
    get: (target, name: keyof DocumentStore) => {
      const call = target[name] as (...given: unknown[]) => unknown;
      if (!WRITES.some((one) => one === name)) return call.bind(target);
      return async (...given: unknown[]) => {
        const dies = writes++ >= at;
        if (dies && (!isDone || writes > at + 1)) throw new Killed();
        const answer = await call.apply(target, given);
        if (dies) throw new Killed();
        return answer;
      };
    },
  });
  return { store: dying, writes: () => writes };
}

interface Life {
  readonly sent: MailMessage[];
  /** @returns how many writes it made */
  live(store: DocumentStore, dies?: { at: number; isDone: boolean }): Promise<number>;
}

/** As the process does: what the log delivers, a look, the mails, the mail server. */
function lives(): Life {
  const sent: MailMessage[] = [];
  let lived = 0;
  const unsubscribingBy = unsubscribing('a secret of the tests, long enough for it');
  return {
    sent,
    live: async (whole, { at, isDone } = { at: Infinity, isDone: true }) => {
      const { store, writes } = dyingAt(whole, at, isDone);
      // What a dead process had begun is taken on after its time.
      const clock = new ManualClock(AT + NOTIFICATION_LIMITS.leaseMs * lived++);
      const log = silentLog();
      const mailer = { send: async (mail: MailMessage) => void sent.push(mail) };
      const mail = new MailOutbox({
        ...{ store, mailer, clock, log },
        random: systemRandom,
        timers: systemTimers,
        recipientNow: recipientNow(store, clock, CURRENT_VIEWS),
      });
      const amounts = { invitationsPerDay: 1, mailsPerAddressPerDay: 1 };
      const mailLimits = new MailLimits(store, clock, amounts);
      const context = {
        store,
        clock,
        log,
        mail,
        mailLimits,
        publicUrl: 'https://s',
        unsubscribing: unsubscribingBy,
        views: CURRENT_VIEWS,
        contacts: CURRENT_VIEWS,
        storeOf: () => store,
        mailboxes: new MailboxWriter(store),
      };
      try {
        await deliver(context, [{ notice: NOTICE, place: { partition: 'chain/0', next: 1 } }]);
        await reportStates({ ...context, toldSince: 0, listeningSince: 0 });
        clock.advance(NOTIFICATION_LIMITS.settleMs);
        await sendDue(context);
        await mail.deliver();
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      // A mail under way ends with its process.
      await mail.stop();
      return writes();
    },
  };
}

async function openStore(t: Test): Promise<DocumentStore> {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  await store.ensure([...NON_VIEWS, ...VIEW_COLLECTIONS]);
  await store.bulkUpsert(VIEWS.organizations, [ORGANIZATION]);
  const { orgId: _, rev: __, deleted: ___, ...user } = ADA;
  const entity: OrganizationEntity = {
    kind: 'ORGANIZATION',
    ...{ id: 'o', name: 'Acme', stripeId: null, creationDate: 0, removedUsers: [] },
    users: [{ ...user, walletUserId: null, activation: null }],
  };
  await commit(store, organizationStream('o'), 0, {
    ...{ orgId: 'o', entity, events: [], policies: [], at: AT, by: null },
  });
  await store.bulkUpsert(VIEWS.users, [ADA]);
  await store.bulkUpsert(VIEWS.devices, [DEVICE]);
  await store.bulkUpsert(VIEWS.deviceActivity, [{ id: 'd', rev: AT - HOUR_MS, orgId: 'o' }]);
  return store;
}

t.test('no death loses a notice, or gives it a second mail id', async (t) => {
  const whole = lives();
  const writes = await whole.live(await openStore(t));
  const subjects = whole.sent.map(({ subject }) => subject).sort();
  t.strictSame(subjects, ['[Acme] A new alert.', '[Acme] Nothing is heard of Web 1.']);
  t.ok(writes >= 10, `${writes} writes`);
  for (const isDone of [false, true])
    for (let at = 0; at < writes; at++)
      await t.test(`death ${isDone ? 'after' : 'before'} write ${at}`, async (t) => {
        const store = await openStore(t);
        const life = lives();
        await life.live(store, { at, isDone });
        // The turn to look, and a mail that was taken and not forgotten, come again with time.
        await store.remove('notice_markers', ['look']);
        for (const { id, rev, ...mail } of await store.find('mails', { limit: 10 }))
          await store.bulkUpsert('mails', [{ ...mail, id, rev: Number(rev) + 1, nextAt: 0 }]);
        await life.live(store);
        await life.live(store);
        t.strictSame([...new Set(life.sent.map(({ subject }) => subject))].sort(), subjects);
        t.equal(new Set(life.sent.map(({ id }) => id)).size, subjects.length, 'one id a mail');
      });
});
