/** Notifications over HTTP: from what happens to the mails in a mailbox. */
import t, { type Test } from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import type { NotificationRule, NotificationRuleFields } from '@sentinel-node/contracts';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import { MAILBOXES_COLLECTION } from '../src/notifications/mailboxes.ts';
import { MAIL_DAYS_COLLECTION, NOTICE_MAILS_PER_HOUR } from '../src/mail/mail-limits.ts';
import { MAILS_COLLECTION } from '../src/mail/queued-mail.ts';
import { addressRecipient } from '../src/notifications/settings.ts';
import type { KeptMail } from '../src/mail/development-mailer.ts';
import { rebuildViews } from '../src/views/index.ts';
import { appendChain, appendHeartbeat, FileHistory, hash, heartbeat } from './chain-records.ts';
import { createPlace, type Place } from './place.ts';
import { DEVICE, eventually, FILE, NO_LIMITS, type Answer, type World, passLooking } from './world.ts';

/** Ends a wait for thousands of alerts; a busy machine takes long. */
const MANY_MS = 240_000;
t.setTimeout(900_000);

const { settleMs, lookMs, stormMs } = NOTIFICATION_LIMITS;
const HOUR_MS = 3_600_000;

interface Scene extends Place {
  /** Mails of notices so far, oldest first. */
  mails(): Promise<KeptMail[]>;
  /** Lets the time pass that a mail waits, until there are so many. */
  mailsAfter(count: number, waitMs?: number): Promise<KeptMail[]>;
  /** Resolves when every record of the log was looked at. */
  caughtUp(deadlineMs?: number): Promise<void>;
  /** Resolves when no mailbox has a mail in hand: a mail may come before its mailbox says that it was handed on. */
  handedOn(): Promise<true>;
}

async function createScene(t: Test): Promise<Scene> {
  const place = await createPlace(t, NO_LIMITS);
  const { world } = place;
  const mails = async (): Promise<KeptMail[]> => {
    const { body } = await world.call('GET', '/dev-mail/messages');
    return (body as KeptMail[]).filter(({ subject }) => subject.includes('[Acme]')).reverse();
  };
  const caughtUp = async (deadlineMs?: number): Promise<void> => {
    for (const topic of ['sentinel.chain.v1', 'sentinel.registry.v1'])
      await eventually(async () => {
        const done = await world.eventLog.committed(topic, 'query-notifier');
        const bounds = await world.eventLog.bounds(topic);
        return bounds.every(({ partition, end }) => end === 0 || done.get(partition) === end) || undefined;
      }, deadlineMs);
  };
  return {
    ...place,
    mails,
    caughtUp,
    handedOn: () =>
      eventually(async () => {
        const mailboxes = await world.store.find(MAILBOXES_COLLECTION.name, { limit: 10 });
        return mailboxes.every(({ sending }) => sending.length === 0) || undefined;
      }),
    mailsAfter: async (count, waitMs = settleMs) => {
      await caughtUp();
      world.clock.advance(waitMs);
      return eventually(async () => {
        const found = await mails();
        return found.length >= count ? found : undefined;
      });
    },
  };
}

const rulesOf = async ({ admin, orgId }: Scene): Promise<NotificationRule[]> =>
  (await admin.call('GET', `/notifications/rules/${orgId}`)).body.rules;

const fieldsOf = ({ id: _, isDefault: __, changed: ___, changedBy: ____, ...fields }: NotificationRule) =>
  fields;

async function change(scene: Scene, more: Partial<NotificationRuleFields>): Promise<Answer> {
  const { admin, orgId } = scene;
  const [rule] = await rulesOf(scene);
  return admin.call('PUT', `/notifications/rules/${orgId}/${rule!.id}`, { ...fieldsOf(rule!), ...more });
}

const ofTypes = (rule: NotificationRule, ...types: NotificationRuleFields['when']['types']) => ({
  when: { ...rule.when, types },
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** As a mail program that follows RFC 8058. */
function unsubscribe(
  world: World,
  { headers }: KeptMail,
  body = 'List-Unsubscribe=One-Click',
  type: Record<string, string> = FORM,
): Promise<Answer> {
  const path = /\/api\/v1(\/notifications\/unsubscribe\/[^>]+)>/.exec(
    headers?.['List-Unsubscribe'] ?? '',
  )![1]!;
  return world.call('POST', path, body, type);
}

/** The last link of a notification: where it is switched off. */
const SETTINGS = 'http://localhost:8443/notifications';

t.test('without any rule made, administrators get new alerts by mail, and links lead there', async (t) => {
  const scene = await createScene(t);
  const { world, admin, history, write, deviceId } = scene;
  await world.member(admin, 'bob@example.org', 'REGULAR');
  history.baseline();
  const [alert] = history.breach().alerts;
  await write();
  const [mail, ...more] = await scene.mailsAfter(1);
  t.strictSame([mail!.to, more], ['ada@example.org', []]);
  t.match(mail, { subject: '[Acme] Hash breach: logs/app.log on Server 1', thread: `alert-${alert!.id}` });
  t.match(mail!.text, 'A new alert, Hash breach: logs/app.log on Server 1.');
  t.equal(mail!.links[0], `http://localhost:8443/alerts-history?alert=${alert!.id}&in=${deviceId}`);
  t.notMatch(JSON.stringify(mail), /sequence/, 'nothing of the report');

  await scene.handedOn();
  history.handled(alert!.id, { id: admin.session.userId, email: 'ada@example.org', note: 'fine' });
  await write();
  await scene.caughtUp();
  world.clock.advance(settleMs);
  t.equal((await scene.mails()).length, 1, 'the default rule tells no more than it says');
  const mailboxes = await world.store.find('notice_mailboxes', { limit: 10 });
  t.strictSame(
    mailboxes.map(({ nextAt }) => nextAt),
    [undefined],
    'and no mail waits',
  );
});

t.test('a rule with labels tells of the devices and files that have one, as they are then', async (t) => {
  const scene = await createScene(t);
  const { admin, orgId, deviceId, fileId, history, write } = scene;
  const [standard] = await rulesOf(scene);
  t.equal((await change(scene, { enabled: false })).status, 200);
  const ruleOf = (label: string, address: string) => ({
    ...fieldsOf(standard!),
    when: { ...standard!.when, labels: [label] },
    to: { administrators: false, userIds: [], addresses: [address], webhookIds: [] },
  });
  const path = `/notifications/rules/${orgId}`;
  for (const [label, address] of [
    ['site:graz', 'graz@example.org'],
    ['team:web', 'web@example.org'],
    ['site:wien', 'wien@example.org'],
  ] as const) {
    const made = await admin.call('POST', path, ruleOf(label, address));
    matchWhole(t, made, { status: 201, body: { when: { labels: [label] } } });
  }
  t.equal((await admin.call('POST', path, ruleOf('graz', 'x@example.org'))).status, 422);
  const labelDevice = (labels: string[]): Promise<Answer> => {
    const { name, path: root, healthInterval, category } = DEVICE;
    const fields = { name, path: root, healthInterval, category, enabled: true, labels };
    return admin.call('PUT', `/devices/${orgId}/${deviceId}`, fields);
  };
  await labelDevice(['site:graz']);
  const files = [{ ...FILE, id: fileId, labels: ['team:web'] }];
  await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files });
  history.baseline();
  history.breach();
  await write();
  const first = await scene.mailsAfter(2);
  t.strictSame(first.map(({ to }) => to).sort(), ['graz@example.org', 'web@example.org']);

  await labelDevice(['site:wien']);
  history.breach();
  await write();
  const more = (await scene.mailsAfter(4)).slice(2);
  t.strictSame(more.map(({ to }) => to).sort(), ['web@example.org', 'wien@example.org']);
});

t.test('a rule is made, changed and deleted by administrators, and stands in the history', async (t) => {
  const scene = await createScene(t);
  const { world, admin, orgId } = scene;
  const [standard] = await rulesOf(scene);
  t.match(standard, { id: orgId, isDefault: true, enabled: true, changed: null });
  const path = `/notifications/rules/${orgId}`;
  const fields = { ...fieldsOf(standard!), name: 'Night', ...ofTypes(standard!, 'alert.handled') };
  const made = await admin.call('POST', path, fields);
  t.match(made, { status: 201, body: { name: 'Night', isDefault: false, changedBy: 'ada@example.org' } });
  t.match(await admin.call('PUT', `${path}/${made.body.id}`, { ...fields, enabled: false }), {
    status: 200,
    body: { enabled: false },
  });
  matchList(
    t,
    (await rulesOf(scene)).map(({ name }) => name),
    [standard!.name, 'Night'],
  );
  t.equal((await admin.call('DELETE', `${path}/${made.body.id}`)).status, 200);
  t.equal((await admin.call('DELETE', `${path}/${made.body.id}`)).status, 404);
  t.equal((await admin.call('DELETE', `${path}/${orgId}`)).status, 200);
  t.strictSame(await rulesOf(scene), [], 'the default rule does not come back');

  const other = await world.organization('Other', 'eve@example.org');
  const theirs = await other.call('POST', `/notifications/rules/${other.orgId}`, fields);
  t.equal((await admin.call('PUT', `${path}/${theirs.body.id}`, fields)).status, 404);
  t.equal((await admin.call('DELETE', `${path}/${other.orgId}`)).status, 404);
  const foreign = { ...fields, to: { ...fields.to, userIds: [other.session.userId] } };
  matchWhole(t, await admin.call('POST', path, foreign), {
    status: 422,
    body: { errors: [{ path: '/to/userIds/0' }] },
  });
  const hook = { name: 'On-call', shape: 'cloudevents', url: 'https://receiver.invalid/' };
  const [own, foreignHook] = [
    (await admin.call('POST', `/webhooks/${orgId}`, hook)).body.id as string,
    (await other.call('POST', `/webhooks/${other.orgId}`, hook)).body.id as string,
  ];
  const toHooks = (...webhookIds: string[]) => ({ ...fields, to: { ...fields.to, webhookIds } });
  t.equal((await admin.call('POST', path, toHooks(own))).status, 201);
  matchWhole(t, await admin.call('POST', path, toHooks(own, foreignHook)), {
    status: 422,
    body: { errors: [{ path: '/to/webhookIds/1' }] },
  });
  t.match(await admin.call('POST', path, { ...fields, zone: 'Nowhere' }), { status: 422 });

  const theirDevice = (await other.call('POST', `/devices/${other.orgId}`, DEVICE)).body.id as string;
  const { deviceId, fileId } = scene;
  const about = (when: object) => ({ ...fields, when: { ...fields.when, ...when } });
  for (const [when, at] of [
    [{ deviceIds: [deviceId, theirDevice] }, '/when/deviceIds/1'],
    [{ deviceIds: [fileId] }, '/when/deviceIds/0'],
    [{ fileIds: [deviceId] }, '/when/fileIds/0'],
  ] as const)
    matchWhole(t, await admin.call('POST', path, about(when)), {
      status: 422,
      body: { errors: [{ path: at }] },
    });
  const ofOurs = await admin.call('POST', path, about({ deviceIds: [deviceId], fileIds: [fileId] }));
  t.equal(ofOurs.status, 201);
  const gone = await admin.call('PUT', `/devices/delete/${orgId}/${deviceId}`, { forced: true });
  t.equal(gone.status, 200);
  const changed = about({ deviceIds: [deviceId], fileIds: [] });
  t.equal((await admin.call('PUT', `${path}/${ofOurs.body.id}`, changed)).status, 200, 'a deleted device');
  const { body } = await admin.call('GET', `/events/${orgId}?limit=500`);
  const types = (body.events as { type: string }[]).map(({ type }) => type);
  for (const type of ['CREATE', 'MODIFY', 'DELETE']) t.ok(types.includes(`${type}_NOTIFICATION_RULE`), type);
});

t.test('a rule says whom it does not reach, and that it tells nobody', async (t) => {
  const scene = await createScene(t);
  const { world, admin, orgId } = scene;
  const path = `/notifications/rules/${orgId}`;
  const [standard] = await rulesOf(scene);
  const nobody = { administrators: false, userIds: [], addresses: [], webhookIds: [] };
  const make = async (name: string, to: Partial<NotificationRuleFields['to']>) => {
    const fields = { ...fieldsOf(standard!), name, to: { ...nobody, ...to } };
    const made = await admin.call('POST', path, fields);
    t.equal(made.status, 201);
    return { id: made.body.id as string, fields };
  };
  const gapsOf = async (id: string) => (await rulesOf(scene)).find((rule) => rule.id === id)?.gaps;
  const FINE = { tellsNobody: false, notReached: [], neverTold: [] };
  t.strictSame(standard!.gaps, FINE);

  const hook = { name: 'On-call', shape: 'cloudevents', url: 'https://receiver.invalid/' };
  const webhookId = (await admin.call('POST', `/webhooks/${orgId}`, hook)).body.id as string;
  const rulesOfHook = async (): Promise<string[]> =>
    (await admin.call('GET', `/webhooks/${orgId}`)).body.webhooks[0].rules;
  t.strictSame(await rulesOfHook(), [], 'nothing is ever sent to it');
  const byHook = await make('Night', { webhookIds: [webhookId] });
  t.strictSame(await gapsOf(byHook.id), FINE);
  t.strictSame(await rulesOfHook(), ['Night']);
  const changeTo = (enabled: boolean) =>
    admin.call('PUT', `${path}/${byHook.id}`, { ...byHook.fields, enabled });
  t.equal((await changeTo(false)).status, 200);
  t.strictSame(await rulesOfHook(), [], 'a rule that is off does not tell it');
  t.equal((await changeTo(true)).status, 200);
  await admin.call('PUT', `/webhooks/${orgId}/${webhookId}`, { enabled: false });
  const disabled = [{ id: webhookId, why: 'DISABLED' }];
  t.strictSame(await gapsOf(byHook.id), { ...FINE, tellsNobody: true, notReached: disabled });
  t.equal((await admin.call('DELETE', `/webhooks/${orgId}/${webhookId}`)).status, 200);
  const deleted = [{ id: webhookId, why: 'DELETED' }];
  t.strictSame(await gapsOf(byHook.id), { ...FINE, tellsNobody: true, notReached: deleted });
  const { events } = (await admin.call('GET', `/events/${orgId}`)).body;
  const event = events.find(({ type }: { type: string }) => type === 'DELETE_WEBHOOK');
  t.strictSame(JSON.parse(event.note).rules, ['Night'], 'the history says which rules named it');
  matchWhole(t, await changeTo(true), { status: 422, body: { errors: [{ path: '/to/webhookIds/0' }] } });
  t.equal((await changeTo(false)).status, 200, 'it can be switched off all the same');

  const bob = await world.member(admin, 'bob@example.org', 'REGULAR');
  const byPerson = await make('Bob', { userIds: [bob.session.userId] });
  const required = await admin.call('POST', path, { ...byPerson.fields, name: 'Must', required: true });
  const own = { mails: false, zone: 'UTC', quietHours: null };
  t.equal((await bob.call('PUT', `/notifications/own/${orgId}`, own)).status, 200);
  t.strictSame(await gapsOf(byPerson.id), { ...FINE, tellsNobody: true }, 'mails are off');
  t.strictSame(await gapsOf(required.body.id), FINE, 'a required rule reaches them all the same');
  t.equal((await admin.call('DELETE', `/users/${orgId}/${bob.session.userId}`)).status, 200);
  const gone = [{ id: bob.session.userId, why: 'DELETED' }];
  t.strictSame(await gapsOf(byPerson.id), { ...FINE, tellsNobody: true, notReached: gone });
});

t.test('a rule that no notice can meet is refused', async (t) => {
  const scene = await createScene(t);
  const { admin, orgId, deviceId, fileId } = scene;
  const [standard] = await rulesOf(scene);
  const make = (when: Partial<NotificationRuleFields['when']>) =>
    admin.call('POST', `/notifications/rules/${orgId}`, {
      ...fieldsOf(standard!),
      when: { ...standard!.when, ...when },
    });
  for (const when of [
    { types: ['test'] },
    { types: ['device.returned', 'key.rotated'], severity: 'warning' },
    { types: ['alert.raised'], severity: 'critical', categories: ['STANDARD'] },
    { types: ['device.lost'], fileIds: [fileId] },
  ] as const)
    matchWhole(
      t,
      await make(when as unknown as NotificationRuleFields['when']),
      { status: 422, body: { errors: [{ path: '/when', message: /can never be met/ }] } },
      JSON.stringify(when),
    );
  const partly = await make({ types: ['device.lost', 'device.returned'], severity: 'critical' });
  matchWhole(t, partly, {
    status: 201,
    body: { gaps: { tellsNobody: false, neverTold: ['device.returned'] } },
  });
  const named = await make({ types: ['alert.raised', 'funds.low'], deviceIds: [deviceId] });
  t.strictSame(named.body.gaps.neverTold, []);
  const gone = await admin.call('PUT', `/devices/delete/${orgId}/${deviceId}`, { forced: true });
  t.equal(gone.status, 200);
  const left = (await rulesOf(scene)).find(({ id }) => id === named.body.id);
  t.strictSame(left?.gaps.neverTold, ['alert.raised'], 'its only device was deleted');
});

t.test(
  'alerts of a maintenance window, and those that a list expects, are not told; the rest is',
  async (t) => {
    const scene = await createScene(t);
    const { world, admin, orgId, deviceId, history, write } = scene;
    history.baseline();
    const raise = async (type: 'HASH_BREACH' | 'UNEXPECTED_CHANGE'): Promise<string> => {
      world.clock.advance(1_000);
      history.passTo(world.clock.now());
      const [alert] = history.breach(type).alerts;
      await write();
      world.clock.advance(1_000);
      return alert!.id;
    };
    const end = new Date(world.clock.now() + 3_600_000).toISOString();
    const given = { reason: 'Release', scope: { deviceIds: [deviceId] }, end };
    const window = await admin.call('POST', `/maintenance/${orgId}`, given);
    t.equal(window.status, 201);
    await raise('HASH_BREACH');
    t.equal((await admin.call('DELETE', `/maintenance/${orgId}/${window.body.id}`)).status, 200);
    const entries = [{ path: `${DEVICE.path}/${FILE.path}`, sha256: hash(history.number) }];
    t.equal((await admin.call('POST', `/expected/${orgId}`, { ...given, entries })).status, 201);
    await raise('UNEXPECTED_CHANGE');
    const told = await raise('HASH_BREACH');
    const mails = await scene.mailsAfter(1);
    t.strictSame(
      mails.map(({ thread }) => thread),
      [`alert-${told}`],
    );
  },
);

t.test('a change that was not planned, of an alert that was, is told once as raised', async (t) => {
  const scene = await createScene(t);
  const { world, admin, orgId, deviceId, history, write } = scene;
  history.baseline();
  const pass = (ms: number): void => {
    world.clock.advance(ms);
    history.passTo(world.clock.now());
  };
  const threads = async (count: number): Promise<(string | undefined)[]> =>
    (await scene.mailsAfter(count)).map(({ thread }) => thread);
  const end = new Date(world.clock.now() + HOUR_MS).toISOString();
  const given = { reason: 'Release', scope: { deviceIds: [deviceId] }, end };
  const made = await admin.call('POST', `/maintenance/${orgId}`, given);
  t.equal(made.status, 201);
  pass(1_000);
  const planned = history.breach().alerts[0]!.id;
  history.again(planned);
  await write();
  pass(2 * HOUR_MS);
  const reviewed = await admin.call('PUT', `/maintenance/review/${orgId}/${made.body.id}`, { note: 'done' });
  t.equal(reviewed.status, 200, 'whoever reviewed it was told nothing by a notice');
  history.again(planned);
  await write();
  t.strictSame(await threads(1), [`alert-${planned}`], 'after the window');
  const [mail] = await scene.mails();
  t.match(mail?.text, 'set aside before, occurred again');

  pass(HOUR_MS);
  history.again(planned);
  const later = { ...given, end: new Date(world.clock.now() + HOUR_MS).toISOString() };
  const entries = [{ path: `${DEVICE.path}/${FILE.path}`, sha256: hash(history.number) }];
  t.equal((await admin.call('POST', `/expected/${orgId}`, { ...later, entries })).status, 201);
  const expected = history.breach('UNEXPECTED_CHANGE').alerts[0]!.id;
  await write();
  await scene.caughtUp();
  pass(1_000);
  Object.assign(history.again(expected).alerts[0]!, {
    attributeChanges: [{ name: 'mode', before: '0644', after: '0666' }],
  });
  history.again(expected);
  await write();
  t.strictSame(
    await threads(2),
    [`alert-${planned}`, `alert-${expected}`],
    'each once: not at its further occurrences, and of a list at its second change',
  );
});

t.test('what people do to devices and files is told with who did it', async (t) => {
  const scene = await createScene(t);
  const { admin, orgId, deviceId, fileId, history, write } = scene;
  const [rule] = await rulesOf(scene);
  await change(
    scene,
    ofTypes(rule!, 'chain.reset', 'monitoring.stopped', 'key.rotated', 'file.deleted', 'device.deleted'),
  );
  const texts = async (count: number): Promise<string> =>
    (await scene.mailsAfter(count)).map(({ text }) => text).join('\n');
  history.baseline();
  const [alert] = history.breach().alerts;
  history.handled(alert!.id, {
    id: admin.session.userId,
    email: 'ada@example.org',
    note: 'new',
    reset: true,
  });
  await write();
  t.match(await texts(1), 'was reset: logs/app.log on Server 1 by ada@example.org.');

  const device = (await admin.call('GET', `/devices/${orgId}/${deviceId}`)).body;
  t.equal((await admin.call('POST', `/devices/key/${orgId}/${deviceId}`, {})).status, 200);
  t.match(await texts(2), 'The key of the agent of Server 1 was replaced by ada@example.org.');
  const off = { ...device, enabled: false, disabledNote: 'moved', files: [] };
  t.equal((await admin.call('PUT', `/devices/${orgId}/${deviceId}`, off)).status, 200);
  t.match(await texts(3), 'Monitoring of Server 1 was switched off by ada@example.org.');
  t.equal((await admin.call('DELETE', `/files/${orgId}/${deviceId}/${fileId}`, {})).status, 200);
  t.match(await texts(4), 'The file logs/app.log on Server 1 was deleted by ada@example.org.');
  t.equal((await admin.call('PUT', `/devices/delete/${orgId}/${deviceId}`, { forced: false })).status, 200);
  t.match(await texts(5), 'The device Server 1 was deleted by ada@example.org.');
});

t.test('a lost device is told once, and that it is back', async (t) => {
  const scene = await createScene(t);
  const { world, orgId, deviceId, fileId } = scene;
  const [rule] = await rulesOf(scene);
  await change(scene, ofTypes(rule!, 'device.lost', 'device.returned', 'agent.blind', 'file.returned'));
  const beat = async (problem?: string): Promise<void> => {
    const now = world.clock.now();
    const record = heartbeat({ orgId, deviceId }, now, [{ id: fileId, checkedAt: now }]);
    const [file] = record.heartbeat.files;
    const files = [problem === undefined ? file! : { ...file!, problem }];
    await appendHeartbeat(world.eventLog, { ...record, heartbeat: { ...record.heartbeat, files } });
    await eventually(async () => {
      const contact = await world.store.get('device_contacts', deviceId);
      return contact?.rev === now ? true : undefined;
    });
  };
  await scene.firstReport();
  await beat();
  await passLooking(world, 3 * 60_000 + lookMs);
  /** Waits until it was told: the clock goes on only then. */
  const state = (id: string, isTold: boolean) =>
    eventually(async () => {
      const found = await world.store.get('notice_states', id);
      return (isTold ? found?.['told'] === true : found === undefined) || undefined;
    });
  await state(`LOST:${deviceId}`, true);
  const [lost] = await scene.mailsAfter(1);
  matchWhole(t, lost, {
    subject: '[Acme] Nothing is heard of Server 1.',
    links: [`http://localhost:8443/device/${deviceId}`, SETTINGS],
  });
  world.clock.advance(lookMs);
  await beat();
  world.clock.advance(lookMs);
  await state(`LOST:${deviceId}`, false);
  t.match((await scene.mailsAfter(2)).at(-1)!.text, 'Server 1 is heard of again.');

  await beat('EACCES');
  world.clock.advance(lookMs);
  await state(`BLIND:${fileId}`, true);
  t.match(
    (await scene.mailsAfter(3)).at(-1)!.text,
    'The agent does not look at logs/app.log on Server 1: EACCES.',
  );
  world.clock.advance(lookMs);
  await beat();
  world.clock.advance(lookMs);
  await state(`BLIND:${fileId}`, false);
  const all = await scene.mailsAfter(4);
  t.equal(all.length, 4, 'each once');
});

t.test('a lost file is told once, that it is back, and that its monitoring was switched off', async (t) => {
  const scene = await createScene(t);
  const { world, admin, orgId, deviceId, fileId } = scene;
  const [rule] = await rulesOf(scene);
  await change(scene, ofTypes(rule!, 'file.lost', 'file.returned', 'monitoring.stopped'));
  /** The agent is heard of, and says when it checked the file last. */
  const beat = async (checkedAt: number): Promise<void> => {
    const now = world.clock.now();
    await appendHeartbeat(world.eventLog, heartbeat({ orgId, deviceId }, now, [{ id: fileId, checkedAt }]));
    await eventually(async () =>
      (await world.store.get('device_contacts', deviceId))?.rev === now ? true : undefined,
    );
  };
  const isKept = async (isThere: boolean): Promise<void> => {
    await eventually(async () => {
      const found = await world.store.get('notice_states', `LOST:${fileId}`);
      return (isThere ? found?.['told'] === true : found === undefined) || undefined;
    });
  };
  const checkedAt = world.clock.now();
  await scene.firstReport();
  await beat(checkedAt);
  for (let minute = 0; minute < 4; minute++) {
    await passLooking(world, 60_000);
    await beat(checkedAt);
  }
  world.clock.advance(lookMs);
  await isKept(true);
  const [lost] = await scene.mailsAfter(1);
  matchWhole(t, lost, {
    subject: '[Acme] Nothing is heard of logs/app.log on Server 1.',
    links: [`http://localhost:8443/device/${deviceId}?file=${fileId}`, SETTINGS],
  });
  world.clock.advance(lookMs);
  await beat(world.clock.now());
  world.clock.advance(lookMs);
  await isKept(false);
  t.match((await scene.mailsAfter(2)).at(-1)!.text, 'logs/app.log on Server 1 is heard of again.');

  const off = [{ ...FILE, id: fileId, enabled: false }];
  const path = `/devices/files/${orgId}/${deviceId}`;
  t.equal((await admin.call('PUT', path, { files: off })).status, 200);
  const all = await scene.mailsAfter(3);
  t.match(all.at(-1)!.text, 'Monitoring of logs/app.log on Server 1 was switched off by ada@example.org.');
  t.equal(all.length, 3, 'each once');
});

t.test(
  'a person switches own mails off, by the console or by one click, but not required ones',
  async (t) => {
    const scene = await createScene(t);
    const { world, admin, orgId, history, write } = scene;
    history.baseline();
    history.breach();
    await write();
    const [first] = await scene.mailsAfter(1);
    await scene.handedOn();
    const form = (body: string): string =>
      `--x\r\nContent-Disposition: form-data; name="${body}"\r\n\r\nOne-Click\r\n--x--\r\n`;
    const parts = { 'content-type': 'multipart/form-data; boundary=x' };
    t.equal((await unsubscribe(world, first!, form('Other'), parts)).status, 422);
    const json = { 'content-type': 'application/json' };
    t.equal((await unsubscribe(world, first!, '{"List-Unsubscribe":"One-Click"}', json)).status, 415);
    t.match((await admin.call('GET', `/notifications/own/${orgId}`)).body, { mails: true });
    t.equal((await unsubscribe(world, first!, form('List-Unsubscribe'), parts)).status, 200);
    t.equal((await unsubscribe(world, first!)).status, 200);
    t.match((await admin.call('GET', `/notifications/own/${orgId}`)).body, { mails: false });
    const { status } = await world.call(
      'POST',
      '/notifications/unsubscribe/bm8.bm8',
      'List-Unsubscribe=One-Click',
      {
        'content-type': 'application/x-www-form-urlencoded',
      },
    );
    t.equal(status, 404, 'nobody can make such an address up');
    history.breach();
    await write();
    await scene.caughtUp();
    world.clock.advance(settleMs);
    t.equal((await world.store.find('notice_mailboxes', { limit: 10 }))[0]!['nextAt'], undefined);

    await change(scene, { required: true });
    history.breach();
    await write();
    const second = (await scene.mailsAfter(2))[1]!;
    await scene.handedOn();
    t.equal(second.headers, undefined, 'what is required cannot be switched off');

    await change(scene, { required: false });
    const own = { mails: true, zone: 'Europe/Berlin', quietHours: { from: '00:00', to: '23:59' } };
    t.match(await admin.call('PUT', `/notifications/own/${orgId}`, own), { status: 200, body: own });
    t.equal((await admin.call('PUT', `/notifications/own/${orgId}`, { ...own, zone: 'x' })).status, 422);
    history.breach();
    await write();
    await scene.caughtUp();
    const [mailbox] = await world.store.find('notice_mailboxes', { limit: 10 });
    t.ok(
      Number(mailbox!['nextAt']) > world.clock.now() + 3_600_000,
      'it waits for the end of the quiet hours',
    );
  },
);

t.test('a mail that the limit of its organisation delays into quiet hours waits for their end', async (t) => {
  const scene = await createScene(t);
  const { world, admin, orgId, history, write } = scene;
  const minute = (at: number): string => new Date(at).toISOString().slice(11, 16);
  const now = world.clock.now();
  const nextHour = now - (now % HOUR_MS) + HOUR_MS;
  const quietHours = { from: minute(nextHour), to: minute(nextHour + 2 * HOUR_MS) };
  const own = { mails: true, zone: 'UTC', quietHours };
  t.equal((await admin.call('PUT', `/notifications/own/${orgId}`, own)).status, 200);
  const count = { id: `notices:${orgId}:${nextHour}`, rev: 1, mails: NOTICE_MAILS_PER_HOUR };
  await world.store.insertMissing(MAIL_DAYS_COLLECTION.name, [{ ...count, expiresAt: nextHour }]);
  history.baseline();
  history.breach();
  await write();
  await scene.caughtUp();
  world.clock.advance(settleMs);
  await eventually(async () => {
    const [mailbox] = await world.store.find('notice_mailboxes', { limit: 1 });
    return Number(mailbox?.['nextAt']) >= nextHour || undefined;
  });
  // The limit names its end in full seconds.
  world.clock.advance(nextHour + 1_000 - world.clock.now());
  const end = nextHour + 2 * HOUR_MS;
  const waits = await eventually(async () => {
    const [mail] = await world.store.find(MAILS_COLLECTION.name, { limit: 1 });
    return mail?.nextAt === end || (await scene.mails()).length > 0 ? (mail?.nextAt ?? 'sent') : undefined;
  });
  t.equal(waits, end);
  world.clock.advance(end - world.clock.now());
  t.equal((await scene.mailsAfter(1, 0)).length, 1);
});

t.test('a test mail comes to whoever asks for it', async (t) => {
  const scene = await createScene(t);
  t.equal((await scene.admin.call('POST', `/notifications/test/${scene.orgId}`, {})).status, 200);
  const [mail] = await scene.mailsAfter(1);
  t.match(mail!.text, 'This is a test that ada@example.org asked for.');
});

t.test('a test mail that could not be kept is refused', async (t) => {
  const { world, admin, orgId } = await createScene(t);
  const { bulkUpsert } = world.store;
  // Others win each write to the mailbox.
  world.store.bulkUpsert = (collection, documents) =>
    collection === 'notice_mailboxes'
      ? Promise.resolve()
      : bulkUpsert.call(world.store, collection, documents);
  const refused = await admin.call('POST', `/notifications/test/${orgId}`, {});
  t.match(refused, { status: 503, body: { code: 'OVERLOADED' } });
});

t.test('addresses without a user get mails, and switch them off for themselves', async (t) => {
  const scene = await createScene(t);
  const { world, history, write } = scene;
  const to = { administrators: false, userIds: [], addresses: ['On-Call@example.com'], webhookIds: [] };
  await change(scene, { to });
  history.baseline();
  history.breach();
  await write();
  const [mail] = await scene.mailsAfter(1);
  await scene.handedOn();
  t.equal(mail!.to, 'On-Call@example.com');
  t.equal((await unsubscribe(world, mail!)).status, 200);
  history.breach();
  await write();
  await scene.caughtUp();
  world.clock.advance(settleMs);
  const [mailbox] = await world.store.find('notice_mailboxes', { limit: 10 });
  t.equal(mailbox!['nextAt'], undefined);
});

t.test('a required rule does not keep an address without a user from unsubscribing', async (t) => {
  const scene = await createScene(t);
  const { world, admin, orgId, history, write } = scene;
  const addresses = ['Stranger@example.com', 'stranger+1@example.com'];
  await change(scene, {
    to: { administrators: false, userIds: [], addresses, webhookIds: [] },
    required: true,
  });
  history.baseline();
  history.breach();
  await write();
  const [mail] = await scene.mailsAfter(2);
  await scene.handedOn();
  t.equal((await unsubscribe(world, mail!)).status, 200);
  const idle = { mails: true, zone: 'UTC', quietHours: null };
  t.match((await admin.call('GET', `/notifications/own/${orgId}`)).body, idle, 'others keep theirs');
  history.breach();
  await write();
  await scene.caughtUp();
  world.clock.advance(settleMs);
  const mailboxes = await world.store.find('notice_mailboxes', { limit: 10 });
  t.strictSame(
    mailboxes.map(({ nextAt }) => nextAt),
    [undefined, undefined],
    'also of the other address of the same mailbox',
  );
  matchList(t, await rulesOf(scene), [{ required: true, gaps: { tellsNobody: true } }]);
});

t.test('an earlier unsubscription of an address with a tag holds', async (t) => {
  const scene = await createScene(t);
  const { world, orgId, history, write } = scene;
  const address = 'on-call+web@example.com';
  const { id } = addressRecipient(orgId, address);
  const setting = { id, rev: 1, orgId, mails: false, zone: 'UTC', quietHours: null };
  await world.store.insertMissing('notification_settings', [setting]);
  const to = { administrators: false, userIds: [], addresses: [address], webhookIds: [] };
  t.match((await change(scene, { to })).body, { gaps: { tellsNobody: true } });
  history.baseline();
  history.breach();
  await write();
  await scene.caughtUp();
  t.strictSame(await world.store.find('notice_mailboxes', { limit: 10 }), []);
});

t.test('addresses of one mailbox without a user get 20 mails an hour together', async (t) => {
  const scene = await createScene(t);
  const { world, history, write } = scene;
  const addresses = ['stranger@example.com', 'Stranger+1@example.com', 'stranger+2@example.com'];
  const [rule] = await rulesOf(scene);
  const to = { administrators: false, userIds: [], addresses, webhookIds: [] };
  await change(scene, { ...ofTypes(rule!, 'alert.raised'), to });
  world.clock.advance(HOUR_MS - (world.clock.now() % HOUR_MS));
  history.baseline();
  for (let n = 1; n <= 8; n++) {
    history.breach();
    await write();
    await scene.mailsAfter(Math.min(3 * n, 20));
  }
  const isDelayed = async (): Promise<true | undefined> => {
    const found = await world.store.find('notice_mailboxes', { limit: 10 });
    const waiting = found.flatMap(({ nextAt }) => (typeof nextAt === 'number' ? [nextAt] : []));
    return (waiting.length > 0 && waiting.every((at) => at > world.clock.now())) || undefined;
  };
  await eventually(isDelayed);
  t.equal((await scene.mails()).length, 20);
  t.equal((await scene.mailsAfter(24, HOUR_MS)).length, 24, 'the others come in the next hour');
});

t.test('10,000 alerts in a minute are one mail that says so', async (t) => {
  const scene = await createScene(t);
  const { world, orgId, deviceId, fileId } = scene;
  const storm = new FileHistory({ orgId, deviceId, fileId }, world.clock.now());
  storm.baseline();
  for (let n = 0; n < 10_000; n++) storm.breach();
  const records = storm.records.splice(0);
  for (let at = 0; at < records.length; at += 1_000)
    await appendChain(world.eventLog, records.slice(at, at + 1_000));
  await scene.caughtUp(MANY_MS);
  world.clock.advance(settleMs);
  const [mail, ...more] = await scene.mailsAfter(1, stormMs);
  await scene.handedOn();
  t.match(mail, { subject: '[Acme] 10,000 notifications' });
  t.strictSame(more, []);
  const [mailbox] = await world.store.find('notice_mailboxes', { limit: 10 });
  t.equal(mailbox!['nextAt'], undefined, 'no second one waits');
});

t.test('views that are made anew tell nothing again', async (t) => {
  const scene = await createScene(t);
  const { world, history, write } = scene;
  history.baseline();
  history.breach();
  await write();
  await scene.mailsAfter(1);
  await scene.handedOn();
  const before = await world.store.find('notice_mailboxes', { limit: 10 });
  await rebuildViews(world.eventLog, world.store);
  await scene.caughtUp();
  t.strictSame(await world.store.find('notice_mailboxes', { limit: 10 }), before);
});
