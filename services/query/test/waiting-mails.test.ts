/** Tests that mails which waited for the mail server go to nobody who left, unsubscribed, or had a share that ended. */
import { NotDurableError, type DocumentStore } from '@sentinel-node/platform';
import t from 'tap';
import { DEVELOPMENT_MAILS_COLLECTION, type KeptMail } from '../src/mail/development-mailer.ts';
import { MAIL_LIMITS } from '../src/mail/outbox.ts';
import { MAILS_COLLECTION, type QueuedMail } from '../src/mail/queued-mail.ts';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import { MAILBOXES_COLLECTION } from '../src/notifications/mailboxes.ts';
import { addressRecipient, changeSetting, settingId, userRecipient } from '../src/notifications/settings.ts';
import { createPlace } from './place.ts';
import { eventually, NO_LIMITS, type World } from './world.ts';

/** Lets no mail be sent from now on. @returns lets the mails that wait go; resolves with them when none waits any more */
function awayServer({ store, clock, call }: World): () => Promise<KeptMail[]> {
  const { insertUnique } = store;
  const refusing: DocumentStore['insertUnique'] = (collection, document) =>
    String(collection) === String(DEVELOPMENT_MAILS_COLLECTION.name)
      ? Promise.reject(new NotDurableError('the mail server is away'))
      : insertUnique.call(store, collection, document as never);
  store.insertUnique = refusing;
  const since = clock.now();
  return async () => {
    store.insertUnique = insertUnique;
    // A mail that is still being refused would wait from the time to which the clock is set.
    await eventually(async () => {
      const waiting = await store.find(MAILS_COLLECTION.name, { limit: 100 });
      return !waiting.some(isHeld) || undefined;
    });
    clock.advance(MAIL_LIMITS.longestRetryMs);
    await eventually(async () => ((await store.count(MAILS_COLLECTION.name)) === 0 ? true : undefined));
    const { body } = await call('GET', '/dev-mail/messages');
    return (body as KeptMail[]).filter(({ sentAt }) => Date.parse(sentAt) > since);
  };
}

/** Resolves when so many mails wait that were tried, and no try is under way: what is changed after that counts at the next one. */
const tried = ({ store, clock }: World, count: number): Promise<true> =>
  eventually(async () => {
    const waiting = await store.find(MAILS_COLLECTION.name, { limit: 100 });
    const isResting = waiting.every(
      (mail) => mail.attempts > 0 && mail.nextAt > clock.now() && !isHeld(mail),
    );
    return (waiting.length === count && isResting) || undefined;
  });

const isHeld = ({ nextAt, setAt }: QueuedMail): boolean => nextAt - setAt! === MAIL_LIMITS.leaseMs;

/** Reads the default rule. `name` changes whom it tells, beside the administrators. */
async function ruleOf({ admin, orgId }: Pick<Awaited<ReturnType<typeof createPlace>>, 'admin' | 'orgId'>) {
  const path = `/notifications/rules/${orgId}`;
  const [rule] = (await admin.call('GET', path)).body.rules;
  const { id, isDefault: _, changed: __, changedBy: ___, ...fields } = rule;
  const name = (addresses: readonly string[], more: object = {}) =>
    admin.call('PUT', `${path}/${id}`, { ...fields, to: { ...rule.to, addresses }, ...more });
  return { path, name };
}

const receivers = (mails: readonly KeptMail[]): string[] => mails.map(({ to }) => to).sort();

t.test('notices go to who is still there and wants them, at the address of now', async (t) => {
  const here = await createPlace(t, NO_LIMITS);
  const { world, admin, orgId, history, write } = here;
  const [bob, carl, dora] = [
    await world.member(admin, 'bob@example.org', 'ADMIN'),
    await world.member(admin, 'carl@example.org', 'ADMIN'),
    await world.member(admin, 'dora@example.org', 'ADMIN'),
  ];
  const { path, name } = await ruleOf(here);
  t.equal((await name(['eve@example.com', 'max@example.com', 'gil@example.com'])).status, 200);
  const back = awayServer(world);
  history.baseline();
  history.breach();
  await write();
  await eventually(async () => {
    world.clock.advance(NOTIFICATION_LIMITS.settleMs);
    return (await world.store.count(MAILS_COLLECTION.name)) === 7 || undefined;
  });
  await tried(world, 7);

  await admin.call('DELETE', `/users/${orgId}/${bob.userId}`);
  for (const recipient of [userRecipient(orgId, carl.userId), addressRecipient(orgId, 'eve@example.com')])
    await changeSetting(world.store, { id: settingId(recipient), orgId }, { mails: false });
  const moved = { name: 'Dora', emailAddress: 'dora@example.net', role: 'REGULAR' };
  t.equal((await admin.call('PUT', `/users/${orgId}/${dora.userId}`, moved)).status, 200);
  t.equal((await name(['eve@example.com', 'Max@example.com'])).status, 200);
  t.strictSame(receivers(await back()), ['ada@example.org', 'dora@example.net', 'max@example.com']);
  const { undelivered } = (await admin.call('GET', path)).body;
  t.strictSame(undelivered ?? [], [], 'what nobody wants any more is no mail that was not delivered');
});

t.test('notices that wait to be gathered go to no address that no rule names any more', async (t) => {
  const here = await createPlace(t, NO_LIMITS);
  const { world, history, write } = here;
  const { name } = await ruleOf(here);
  t.equal((await name(['gil@example.com', 'max@example.com'])).status, 200);
  history.baseline();
  history.breach();
  await write();
  await eventually(async () =>
    (await world.store.count(MAILBOXES_COLLECTION.name)) === 3 ? true : undefined,
  );
  t.equal((await name(['max@example.com'])).status, 200);
  const sent = await eventually(async () => {
    world.clock.advance(NOTIFICATION_LIMITS.settleMs);
    const mails = (await world.call('GET', '/dev-mail/messages')).body as KeptMail[];
    const notices = mails.filter(({ thread }) => thread !== undefined);
    return notices.length >= 2 ? receivers(notices) : undefined;
  });
  t.strictSame(sent, ['ada@example.org', 'max@example.com']);
  await eventually(async () => {
    const left = await world.store.find(MAILBOXES_COLLECTION.name, { limit: 10 });
    return left.every(({ waiting, sending }) => waiting.length + sending.length === 0) || undefined;
  });
  const { body } = await world.call('GET', '/dev-mail/messages');
  t.notOk((body as KeptMail[]).some(({ to }) => to === 'gil@example.com'));
});

t.test('what a rule requires goes to members who switched mails off', async (t) => {
  const here = await createPlace(t, NO_LIMITS);
  const { world, admin, orgId, history, write } = here;
  const { name } = await ruleOf(here);
  t.equal((await name(['eve@example.com'], { required: true })).status, 200);
  const back = awayServer(world);
  history.baseline();
  history.breach();
  await write();
  await eventually(async () => {
    world.clock.advance(NOTIFICATION_LIMITS.settleMs);
    return (await world.store.count(MAILS_COLLECTION.name)) === 2 || undefined;
  });
  await tried(world, 2);
  const { userId } = admin.session;
  const [user] = (await admin.call('GET', `/users/${orgId}`)).body.users;
  t.equal(user.emailAddress, 'ada@example.org', userId);
  for (const recipient of [userRecipient(orgId, user.id), addressRecipient(orgId, 'eve@example.com')])
    await changeSetting(world.store, { id: settingId(recipient), orgId }, { mails: false });
  t.strictSame(receivers(await back()), ['ada@example.org']);
});

t.test('a share that ended sends no link', async (t) => {
  const here = await createPlace(t, NO_LIMITS);
  const { world, admin, orgId, deviceId, history, write } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await write();
  const path = `/alerts/share/${orgId}/${deviceId}/${alert!.id}`;
  const share = (...sharedEmailAddresses: string[]) => admin.call('POST', path, { sharedEmailAddresses });
  const back = awayServer(world);
  t.equal((await share('eve@example.com', 'max@example.com')).status, 200);
  await tried(world, 2);
  t.equal((await admin.call('DELETE', path)).status, 200);
  t.equal((await share('Max@example.com')).status, 200);
  const sent = (await back()).filter(({ subject }) => subject.includes('shared'));
  t.ok(sent.length > 0);
  t.strictSame([...new Set(sent.map(({ to }) => to.toLowerCase()))], ['max@example.com']);
});
