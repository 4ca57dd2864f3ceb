import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import {
  createMetrics,
  MailDeferredError,
  MailRefusedError,
  openDataFolder,
  openEmbeddedDocumentStore,
  OverloadedError,
  STREAMS_COLLECTION,
  silentLog,
  systemRandom,
  systemTimers,
  type DocumentStore,
  type Log,
  type MailMessage,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import {
  DevelopmentMailer,
  DEVELOPMENT_MAILS_COLLECTION,
  DEVELOPMENT_MAILS_MAX,
} from '../src/mail/development-mailer.ts';
import { GIVEN_UP_KEPT, GIVEN_UP_MAILS_COLLECTION } from '../src/mail/given-up.ts';
import { readUndelivered, UNTRIED_MS } from '../src/mail/undelivered.ts';
import { recipientNow } from '../src/recipient-now.ts';
import { MAIL_LIMITS, MailOutbox, type MailOutboxOptions } from '../src/mail/outbox.ts';
import { MAILS_COLLECTION, type QueuedMail } from '../src/mail/queued-mail.ts';
import { eventually } from './world.ts';

const MAIL: MailMessage = { to: 'a@example.org', subject: 's', text: 't', html: 'h', links: [] };
const NOW = Date.UTC(2026, 10, 21, 10);
const CURRENT = { areCurrent: () => Promise.resolve(true) };

type Send = (message: MailMessage, signal?: AbortSignal) => Promise<void>;

async function openStore(
  t: Test,
  path = t.testdir(),
): Promise<{ store: DocumentStore; close(): Promise<void> }> {
  const folder = openDataFolder(path);
  const store = await openEmbeddedDocumentStore({ folder });
  await store.ensure([
    STREAMS_COLLECTION,
    MAILS_COLLECTION,
    GIVEN_UP_MAILS_COLLECTION,
    DEVELOPMENT_MAILS_COLLECTION,
  ]);
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= store.close().then(() => folder.release()));
  t.teardown(close);
  return { store, close };
}

function outboxOf(
  store: DocumentStore,
  clock: ManualClock,
  send: Send,
  more: Partial<MailOutboxOptions> = {},
): MailOutbox {
  const mailer = { send };
  return new MailOutbox({
    ...{ store, clock, mailer },
    log: silentLog(),
    random: systemRandom,
    timers: systemTimers,
    recipientNow: recipientNow(store, clock, CURRENT),
    ...more,
  });
}

t.test('a mail stays until the server took it, and waits longer each time', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  const sent: MailMessage[] = [];
  const ids = new Set<string | undefined>();
  let failures = 2;
  const send: Send = async (message) => {
    ids.add(message.id);
    if (failures-- > 0) throw new Error('the server is away');
    sent.push(message);
  };
  const outbox = outboxOf(store, clock, send);
  await outbox.prepare('o', MAIL, null);
  await outbox.deliver();
  t.equal(await store.count(MAILS_COLLECTION.name), 1);
  await outbox.deliver();
  t.equal(failures, 1, 'not before its time');
  clock.advance(MAIL_LIMITS.firstRetryMs);
  await outbox.deliver();
  clock.advance(MAIL_LIMITS.firstRetryMs);
  await outbox.deliver();
  t.equal(failures, 0, 'twice as long');
  clock.advance(MAIL_LIMITS.firstRetryMs);
  await Promise.all([outbox.deliver(), outboxOf(store, clock, send).deliver()]);
  matchList(t, sent, [MAIL], 'by one of two senders');
  t.equal(sent.length, 1);
  t.equal(ids.size, 1, 'the same mail under the same id each time');
  t.equal(await store.count(MAILS_COLLECTION.name), 0);

  await outbox.prepare('o', MAIL, { orgId: 'o', userId: 'u', idHash: 'never committed' });
  await outbox.deliver();
  clock.advance(MAIL_LIMITS.commitMs + 1);
  await outbox.deliver();
  t.equal(sent.length, 1);
  t.equal(await store.count(MAILS_COLLECTION.name), 0, 'forgotten with the commit that never came');
});

const undeliveredOf = async (...given: Parameters<typeof readUndelivered>) =>
  (await readUndelivered(...given)).undelivered;

/** Returns a log that keeps its alarms. */
function alarms(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const log = silentLog();
  log.error = ((_: object, message: string) => void lines.push(message)) as never;
  return { log, lines };
}

t.test('a refusal for good ends after some tries, and time ends the rest, both with an alarm', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  const { log, lines } = alarms();
  let tries = 0;
  const refused = outboxOf(
    store,
    clock,
    async () => {
      tries++;
      throw new MailRefusedError('550 no such mailbox');
    },
    { log },
  );
  await refused.prepare('o', MAIL, null);
  for (let n = 0; n < MAIL_LIMITS.refusals + 5; n++) {
    await refused.deliver();
    clock.advance(MAIL_LIMITS.longestRetryMs);
  }
  t.equal(tries, MAIL_LIMITS.refusals);
  t.equal(await store.count(MAILS_COLLECTION.name), 0);
  matchList(t, lines, [/refuses a mail for good/]);
  const given = { to: MAIL.to, subject: MAIL.subject };
  matchList(t, await undeliveredOf(store, 'o', clock.now()), [
    { ...given, why: 'REFUSED', givenUp: /^2026/ },
  ]);
  t.same(await undeliveredOf(store, 'other', clock.now()), []);

  const away = outboxOf(store, clock, () => Promise.reject(new Error('450 greylisted')), { log });
  await away.prepare('o', MAIL, null);
  for (let n = 0; n < MAIL_LIMITS.refusals * 2; n++) {
    await away.deliver();
    clock.advance(MAIL_LIMITS.longestRetryMs);
  }
  t.equal(await store.count(MAILS_COLLECTION.name), 1, 'passing faults do not add up');
  matchList(t, await undeliveredOf(store, 'o', clock.now()), [
    { why: 'REFUSED' },
    { ...given, why: 'NOT_TAKEN', givenUp: null },
  ]);
  clock.advance(MAIL_LIMITS.keptMs);
  await away.deliver();
  t.equal(await store.count(MAILS_COLLECTION.name), 0);
  matchList(t, lines, [/refuses/, /not taken in time/]);
  matchList(t, await undeliveredOf(store, 'o', clock.now()), [
    { why: 'NOT_TAKEN', givenUp: /^2026/ },
    { why: 'REFUSED', givenUp: /^2026/ },
  ]);
  await store.bulkUpsert(
    GIVEN_UP_MAILS_COLLECTION.name,
    Array.from({ length: GIVEN_UP_KEPT + 1 }, (_, n) => {
      return {
        ...given,
        id: `${n}`,
        rev: 1,
        orgId: 'o',
        at: NOW,
        givenUpAt: NOW - n,
        why: 'REFUSED' as const,
      };
    }),
  );
  const { undelivered, undeliveredBesides } = await readUndelivered(store, 'o', clock.now());
  t.equal(undelivered.length, GIVEN_UP_KEPT);
  t.strictSame(undeliveredBesides, { mails: 0, atLeast: true }, 'how many were forgotten, nobody knows');
  t.equal((await readUndelivered(store, 'other', clock.now())).undeliveredBesides, undefined);
});

t.test('mails that wait are all counted, however many there are and are held', async (t) => {
  const { store } = await openStore(t);
  const now = NOW + 2 * UNTRIED_MS;
  const mails = (n: number, name: string, more: Partial<QueuedMail>): QueuedMail[] =>
    Array.from({ length: n }, (_, at) => {
      const tries = { attempts: 0, refusals: 0, nextAt: NOW };
      const id = `${name}${String(at).padStart(4, '0')}`;
      return { ...MAIL, ...tries, id, rev: 1, at: NOW, condition: null, orgId: 'o', ...more };
    });
  await store.insertMissing(MAILS_COLLECTION.name, [
    ...mails(600, 'a held ', { at: now + 1, attempts: 1 }),
    ...mails(5, 'b new ', { at: now - UNTRIED_MS }),
    ...mails(70, 'c untried ', {}),
  ]);
  const few = await readUndelivered(store, 'o', now);
  t.equal(few.undelivered.length, 70, 'behind more that are held than were looked at');
  t.equal(few.undeliveredBesides, undefined);
  await store.insertMissing(MAILS_COLLECTION.name, [
    ...mails(150, 'd tried ', { attempts: 3 }),
    ...mails(20, 'e other ', { attempts: 3, orgId: 'other' }),
  ]);
  const { undelivered, undeliveredBesides } = await readUndelivered(store, 'o', now);
  t.equal(undelivered.length, 100);
  t.strictSame(undeliveredBesides, { mails: 120, atLeast: false });
});

t.test('a mail of an earlier version that was tried counts as waiting before its next try', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  const metrics = createMetrics('test', { processMetrics: false });
  const outbox = outboxOf(store, clock, () => Promise.resolve(), { metrics });
  const tries = { attempts: 5, refusals: 0, nextAt: NOW + MAIL_LIMITS.longestRetryMs };
  const mail = { ...MAIL, ...tries, id: 'a', rev: 6, at: NOW - 600_000, condition: null };
  await store.insertMissing(MAILS_COLLECTION.name, [mail]);
  await outbox.deliver();
  t.match(await metrics.text(), /^sentinel_query_mail_waiting_seconds\{.*\} 600$/m);
  t.match(await metrics.text(), /^sentinel_query_mail_deferred_seconds\{.*\} 0$/m);
});

t.test('operators see how long mails wait, from every process, and what was given up', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  const isAway = { now: true };
  const send: Send = async ({ to }) => {
    if (to === 'none@example.org') throw new MailRefusedError('550 no such mailbox');
    if (to === 'full@example.org') throw new MailDeferredError('452 4.2.2 mailbox full');
    if (isAway.now) throw new Error('connection timed out');
  };
  const process = () => {
    const metrics = createMetrics('test', { processMetrics: false });
    const outbox = outboxOf(store, clock, send, { metrics });
    const shows = async (line: string) =>
      t.match(await metrics.text(), new RegExp(`^sentinel_${line}$`, 'm'));
    return { outbox, shows };
  };
  const [sender, other] = [process(), process()];
  const sweep = async (outbox: MailOutbox, ms: number) => {
    clock.advance(ms);
    await outbox.deliver();
  };
  await sender.outbox.prepare('o', MAIL, null);
  await sweep(sender.outbox, 0);
  await sender.shows('query_mail_waiting_seconds\\{.*\\} 0');
  await sweep(other.outbox, 1_000);
  await sweep(sender.outbox, MAIL_LIMITS.longestRetryMs);
  await sweep(other.outbox, 1_000);
  await sender.shows('query_mail_waiting_seconds\\{.*\\} 902');
  await other.shows('query_mail_waiting_seconds\\{.*\\} 902');
  isAway.now = false;
  await sweep(sender.outbox, MAIL_LIMITS.longestRetryMs);
  await sweep(sender.outbox, MAIL_LIMITS.longestRetryMs);
  await sender.shows('query_mail_waiting_seconds\\{.*\\} 0');

  await sender.shows('query_mails_taken_total\\{.*\\} 1');
  await sender.outbox.prepare('o', { ...MAIL, to: 'full@example.org' }, null);
  await sweep(sender.outbox, 0);
  await sweep(sender.outbox, MAIL_LIMITS.longestRetryMs);
  await sweep(other.outbox, MAIL_LIMITS.longestRetryMs);
  await other.shows('query_mail_waiting_seconds\\{.*\\} 0');
  await other.shows('query_mail_deferred_seconds\\{.*\\} 1800');
  await store.remove(MAILS_COLLECTION.name, [(await store.find(MAILS_COLLECTION.name, { limit: 1 }))[0]!.id]);
  await sweep(sender.outbox, MAIL_LIMITS.longestRetryMs);
  await sender.shows('query_mail_deferred_seconds\\{.*\\} 0');

  await sender.shows('query_mails_given_up_total\\{why="REFUSED".*\\} 0');
  await sender.outbox.prepare('o', { ...MAIL, to: 'none@example.org' }, null);
  await sweep(sender.outbox, 0);
  for (let n = 1; n < MAIL_LIMITS.refusals; n++) {
    await sweep(sender.outbox, MAIL_LIMITS.longestRetryMs);
    await sender.shows('query_mail_waiting_seconds\\{.*\\} 0');
  }
  await sender.shows('query_mails_given_up_total\\{why="REFUSED".*\\} 1');
  isAway.now = true;
  await sender.outbox.prepare('o', MAIL, null);
  await sweep(sender.outbox, 0);
  await sweep(sender.outbox, MAIL_LIMITS.keptMs + 1);
  await sender.shows('query_mails_given_up_total\\{why="NOT_TAKEN".*\\} 1');
});

t.test(
  'operators see mails that nobody tried, also during a sweep, and nothing before the first look',
  async (t) => {
    const { store } = await openStore(t);
    const clock = new ManualClock(NOW);
    const metrics = createMetrics('test', { processMetrics: false });
    const waiting = async () =>
      /^sentinel_query_mail_waiting_seconds\{.*\} (.+)$/m.exec(await metrics.text())?.[1];
    const faults = { fails: true };
    const failing = new Proxy(store, {
      get: (target, method: keyof DocumentStore) =>
        method === 'find' && faults.fails
          ? () => Promise.reject(new OverloadedError('busy'))
          : target[method].bind(target),
    });
    let sends = 0;
    // Each call takes minutes, as calls to a server that hangs do.
    const send: Send = () => {
      sends += 1;
      clock.advance(140_000);
      return Promise.reject(new Error('timed out'));
    };
    const outbox = outboxOf(failing, clock, send, {
      metrics,
      recipientNow: recipientNow(store, clock, CURRENT),
    });
    for (let n = 0; n < 12; n += 1) await outbox.prepare('o', MAIL, null);
    t.equal(await waiting(), undefined);
    await t.rejects(outbox.deliver(), OverloadedError);
    t.equal(await waiting(), undefined, 'a look that failed says nothing');
    faults.fails = false;
    const sweep = outbox.deliver();
    await eventually(() => Promise.resolve(sends > 0 || undefined));
    await sweep;
    t.ok(Number(await waiting()) >= 900, `${await waiting()} s`);
  },
);

t.test('mails that nobody tried for minutes are named too', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  await outboxOf(store, clock, () => Promise.resolve()).prepare('o', MAIL, null);
  t.strictSame(await undeliveredOf(store, 'o', NOW + UNTRIED_MS), []);
  matchList(t, await undeliveredOf(store, 'o', NOW + UNTRIED_MS + 1), [{ why: 'NOT_TAKEN', givenUp: null }]);
});

t.test(
  'a mail that comes to wait in quiet hours goes at their end, and is not late until then',
  async (t) => {
    const { store } = await openStore(t);
    const clock = new ManualClock(NOW);
    const metrics = createMetrics('test', { processMetrics: false });
    const sent: number[] = [];
    const end = NOW + 8 * 3_600_000;
    const outbox = outboxOf(store, clock, () => Promise.resolve(void sent.push(clock.now())), {
      metrics,
      recipientNow: (_, to) => Promise.resolve(clock.now() < end ? { to, notBefore: end } : { to }),
    });
    await outbox.prepare('o', MAIL, { kind: 'SHARED_ALERT', alertId: 'a' });
    await outbox.deliver();
    clock.advance(4 * 3_600_000);
    await outbox.deliver();
    t.match(await metrics.text(), /^sentinel_query_mail_waiting_seconds\{.*\} 0$/m);
    t.strictSame(await undeliveredOf(store, 'o', clock.now()), []);
    clock.advance(4 * 3_600_000);
    await outbox.deliver();
    t.strictSame(sent, [end]);
  },
);

t.test(
  'a mail that was tried before quiet hours is not late within them, and keeps when it was made',
  async (t) => {
    const { store } = await openStore(t);
    const clock = new ManualClock(NOW);
    const metrics = createMetrics('test', { processMetrics: false });
    const HOUR_MS = 3_600_000;
    let holdsUntil = 0;
    const outbox = outboxOf(store, clock, () => Promise.reject(new Error('away')), {
      metrics,
      recipientNow: (_, to) =>
        Promise.resolve(clock.now() < holdsUntil ? { to, notBefore: holdsUntil } : { to }),
    });
    await outbox.prepare('o', MAIL, { kind: 'SHARED_ALERT', alertId: 'a' });
    await outbox.deliver();
    t.equal((await undeliveredOf(store, 'o', clock.now())).length, 1, 'the server is away');
    for (let night = 0; night < 2; night += 1) {
      clock.advance(HOUR_MS);
      holdsUntil = clock.now() + 8 * HOUR_MS;
      await outbox.deliver();
      clock.advance(4 * HOUR_MS);
      await outbox.deliver();
      t.strictSame(await undeliveredOf(store, 'o', clock.now()), [], 'it is held');
      t.match(await metrics.text(), /^sentinel_query_mail_waiting_seconds\{.*\} 0$/m);
      clock.advance(4 * HOUR_MS);
      await outbox.deliver();
    }
    const [late] = await undeliveredOf(store, 'o', clock.now());
    t.equal(late?.made, new Date(NOW).toISOString());
    clock.advance(MAIL_LIMITS.keptMs - 18 * HOUR_MS + 1);
    await outbox.deliver();
    const [given] = await undeliveredOf(store, 'o', clock.now());
    t.equal(given?.made, new Date(NOW).toISOString());
    t.ok(given?.givenUp, 'given up a week after it was made');
  },
);

t.test('a mail that waits since the clock was ahead goes, and is shown, when it was set back', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  const metrics = createMetrics('test', { processMetrics: false });
  const sent: string[] = [];
  let isAway = true;
  const send: Send = async ({ to }) => {
    if (isAway) throw new Error('connection timed out');
    sent.push(to);
  };
  const outbox = outboxOf(store, clock, send, { metrics });
  await outbox.deliver();
  const hours = 3 * 3_600_000;
  clock.advance(hours);
  await outbox.prepare('o', MAIL, null);
  await outbox.deliver();
  clock.advance(-hours);
  await outbox.deliver();
  clock.advance(MAIL_LIMITS.longestRetryMs - 1_000);
  await outbox.deliver();
  t.match(await metrics.text(), /^sentinel_query_mail_waiting_seconds\{.*\} 899$/m);
  matchList(t, await undeliveredOf(store, 'o', clock.now()), [{ why: 'NOT_TAKEN' }]);
  isAway = false;
  clock.advance(MAIL_LIMITS.longestRetryMs);
  await outbox.deliver();
  t.same(sent, [MAIL.to]);
});

t.test('that no mail waits is not said by a look of a clock that was ahead', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  const metrics = createMetrics('test', { processMetrics: false });
  const outbox = outboxOf(store, clock, () => Promise.reject(new Error('timed out')), { metrics });
  const hours = 3 * 3_600_000;
  clock.advance(hours);
  await outbox.deliver();
  clock.advance(-hours);
  t.notMatch(await metrics.text(), /^sentinel_query_mail_waiting_seconds\{.*\} 0$/m);
  await outbox.prepare('o', MAIL, null);
  await outbox.deliver();
  clock.advance(60_000);
  await outbox.deliver();
  t.match(await metrics.text(), /^sentinel_query_mail_waiting_seconds\{.*\} 60$/m);
});

t.test('one mail that takes long does not hold up the others', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  const sent: string[] = [];
  const outbox = outboxOf(store, clock, async ({ to }, signal) => {
    if (to === 'slow@example.org')
      await new Promise((_, reject) => signal?.addEventListener('abort', reject));
    sent.push(to);
  });
  await outbox.prepare('o', { ...MAIL, to: 'slow@example.org' }, null);
  // Mails of one millisecond go out in any order; this one is being sent before the others.
  clock.advance(1);
  for (let n = 0; n < 20; n++) await outbox.prepare('o', MAIL, null);
  outbox.wake();
  await eventually(async () => (sent.length === 20 ? true : undefined));
  // The slow mail ends only when the stop aborts it.
  await outbox.stop();
  const [left] = await store.find(MAILS_COLLECTION.name, { limit: 2 });
  t.match(left, { to: 'slow@example.org', attempts: 1 }, 'it stays for the next start');
});

t.test('what waits survives a restart', async (t) => {
  const path = t.testdir();
  const clock = new ManualClock(NOW);
  const before = await openStore(t, path);
  const away = outboxOf(before.store, clock, () => Promise.reject(new Error('away')));
  await away.prepare('o', MAIL, null);
  await away.prepare('o', { ...MAIL, to: 'b@example.org' }, null);
  await away.deliver();
  await away.stop();
  await before.close();

  const after = await openStore(t, path);
  const sent: string[] = [];
  const back = outboxOf(after.store, clock, async ({ to }) => void sent.push(to));
  clock.advance(MAIL_LIMITS.firstRetryMs);
  await back.deliver();
  t.strictSame(sent.sort(), ['a@example.org', 'b@example.org']);
  t.equal(await after.store.count(MAILS_COLLECTION.name), 0);
});

t.test('the development mailer keeps the newest mails only', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  const mailer = new DevelopmentMailer(store, clock, systemRandom);
  for (let n = 0; n < DEVELOPMENT_MAILS_MAX + 2; n++) {
    clock.advance(1);
    await mailer.send({ ...MAIL, subject: String(n) });
  }
  const kept = await mailer.list();
  t.equal(kept.length, DEVELOPMENT_MAILS_MAX);
  t.equal(kept[0]!.subject, String(DEVELOPMENT_MAILS_MAX + 1), 'newest first');
});

t.test('an organisation queues no more mails than there is room left', async (t) => {
  const { store } = await openStore(t);
  const clock = new ManualClock(NOW);
  const outbox = outboxOf(store, clock, async () => undefined);
  const half = MAIL_LIMITS.queued / 2;
  const waiting = Array.from({ length: half }, (_, n) => ({ id: String(n), nextAt: NOW + 1, orgId: 'a' }));
  const anyName: string = MAILS_COLLECTION.name;
  await store.insertMissing(anyName, waiting);
  await t.rejects(outbox.prepare('a', MAIL, null), OverloadedError);
  await outbox.prepare('b', MAIL, null);
  t.equal(await store.count(MAILS_COLLECTION.name, { orgId: 'b' }), 1);
  await store.remove(MAILS_COLLECTION.name, ['0', '1', '2']);
  await outbox.prepare('a', MAIL, null);
  t.equal(await store.count(MAILS_COLLECTION.name, { orgId: 'a' }), half - 2);
});
