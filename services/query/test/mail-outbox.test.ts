import t from 'tap';
import { silentLog, systemRandom, systemTimers, type MailMessage } from '@sentinel-node/platform';
import { DevelopmentMailer, DEVELOPMENT_MAILS_MAX } from '../src/mail/development-mailer.ts';
import { MAIL_LIMITS, MailOutbox, MAILS_COLLECTION } from '../src/mail/outbox.ts';
import { createWorld } from './world.ts';

const MAIL: MailMessage = { to: 'a@example.org', subject: 's', text: 't', html: 'h', links: [] };

t.test('a mail stays until the server took it, and waits longer each time', async (t) => {
  const { store, clock, query } = await createWorld(t);
  await query.stop();
  const sent: MailMessage[] = [];
  let failures = 2;
  const mailer = {
    send: async (message: MailMessage) => {
      if (failures-- > 0) throw new Error('the server is away');
      sent.push(message);
    },
  };
  const options = { store, clock, mailer, random: systemRandom, timers: systemTimers, log: silentLog() };
  const outbox = new MailOutbox(options);
  await outbox.prepare(MAIL);
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
  await Promise.all([outbox.deliver(), new MailOutbox(options).deliver()]);
  t.strictSame(sent, [MAIL], 'by one of two senders');
  t.equal(await store.count(MAILS_COLLECTION.name), 0);

  await outbox.prepare(MAIL, { orgId: 'o', userId: 'u', idHash: 'never committed' });
  await outbox.deliver();
  clock.advance(MAIL_LIMITS.commitMs + 1);
  await outbox.deliver();
  t.equal(sent.length, 1);
  t.equal(await store.count(MAILS_COLLECTION.name), 0, 'forgotten with the commit that never came');
});

t.test('the development mailer keeps the newest mails only', async (t) => {
  const { store, clock } = await createWorld(t);
  const mailer = new DevelopmentMailer(store, clock, systemRandom);
  for (let n = 0; n < DEVELOPMENT_MAILS_MAX + 2; n++) {
    clock.advance(1);
    await mailer.send({ ...MAIL, subject: String(n) });
  }
  const kept = await mailer.list();
  t.equal(kept.length, DEVELOPMENT_MAILS_MAX);
  t.equal(kept[0]!.subject, String(DEVELOPMENT_MAILS_MAX + 1), 'newest first');
});
