/** Tests that each event type is raised by its cause, is readable, and comes on the live stream. */
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { EVENT_TYPES, NO_DEVICE, type Event } from '@sentinel-node/contracts';
import { WebhookReceiver } from '@sentinel-node/test-kit/test-servers';
import { call } from './support/client.ts';
import { addFiles, deviceOf, version } from './support/reporter.ts';
import { alertsOf, eventsOf, linksOnce, scene, toldOn } from './support/scene.ts';
import { SUITE_ENV } from './support/system.ts';
import { FILE_MS, until } from './support/until.ts';

const A = version('0123456789');
const B = version('01234');
const C = version('something else');
const ROLLED = {
  monitoringFrequency: 'FOLLOW',
  rolled: true,
  rolledFilenameRegexp: 'app\\.log\\.[0-9]+',
} as const;

t.setTimeout(FILE_MS);
t.test('events', { timeout: FILE_MS }, async (t) => {
  const wishes = {
    probe: {},
    follow: { monitoringFrequency: 'FOLLOW' },
    rolled: ROLLED,
    errors: {},
    late: {},
  } as const;
  const { agent, admin, stream, files } = await scene(t, wishes, SUITE_ENV);
  const id = (name: keyof typeof wishes): string => files[name] ?? '';
  const seen = new Set<string>();

  /** Waits for the event on the stream and checks that a read gives the same event. */
  async function told(type: Event['type'], fits: (event: Event) => boolean): Promise<Event> {
    const event = await toldOn(stream, type, fits);
    const read = await admin.done(
      'GET',
      `/events/single/${admin.orgId}/${event.deviceId ?? NO_DEVICE}/${event.id}`,
    );
    const { orgId: _orgId, rev: _rev, ...fields } = event as Event & Record<string, unknown>;
    t.same(read, fields, `${type}: the stream gives what a read gives`);
    seen.add(type);
    return event;
  }
  const ofFile = (fileId: string) => (event: Event) => event.fileId === fileId;
  const coded =
    (fileId: string | null, code: string) =>
    (event: Event): boolean =>
      event.fileId === fileId && JSON.parse(event.note).code === code;

  await t.test('AGENT_ERROR: what the agent says of itself', async (t) => {
    await agent.report(id('errors'), 'FIRST', A);
    const error = { code: 'EACCES', message: 'permission denied' };
    await agent.reportWith(id('errors'), { change: 'ERROR', error });
    const event = await told('AGENT_ERROR', coded(id('errors'), 'EACCES'));
    t.same(JSON.parse(event.note), error);
    t.match(event, { deviceName: 'Server', fileName: 'errors', alertId: null });
  });

  await t.test(
    'AGENT_ERROR: sequences that go back or come twice, and duplicates that say nothing',
    async (t) => {
      const sequence = agent.nextSequence();
      const timestamp = new Date().toISOString();
      const first = { sequence, timestamp, change: 'UNCHANGED', versions: [A] } as const;
      await agent.reportWith(id('errors'), first);
      await agent.reportWith(id('errors'), first);
      await agent.reportWith(id('errors'), { ...first, change: 'REPLACED', versions: [A, C] });
      await told('AGENT_ERROR', coded(id('errors'), 'SEQUENCE_REUSED'));
      const later = new Date(Date.parse(timestamp) + 1000).toISOString();
      await agent.reportWith(id('errors'), { ...first, sequence: sequence - 1, timestamp: later });
      await told('AGENT_ERROR', coded(id('errors'), 'SEQUENCE_BACK'));
      t.equal((await eventsOf(agent, id('errors'))).filter(({ type }) => type === 'AGENT_ERROR').length, 3);
      t.equal((await alertsOf(agent, id('errors'))).length, 0);
      const ahead = { ...first, sequence: (Date.now() + 25 * 3_600_000) * 1000 };
      t.match(await agent.send(id('errors'), ahead), { status: 422, body: { code: 'SEQUENCE_AHEAD' } });
    },
  );

  await t.test('AGENT_ERROR: two agents of one device', async (t) => {
    for (const instance of ['one', 'two', 'one']) t.equal((await agent.heartbeat(instance)).status, 200);
    const event = await told('AGENT_ERROR', coded(null, 'TWO_AGENTS'));
    t.equal(event.deviceId, agent.deviceId);
  });

  await t.test('MALFORMED_DATA: a body that does not fit', async (t) => {
    const answer = await agent.post(`/files/${agent.path}/${id('errors')}`, { sequence: 'seven' });
    matchWhole(t, answer, {
      status: 422,
      body: { code: 'VALIDATION_FAILED', errors: Array.from({ length: 4 }, () => ({ path: String })) },
    });
    const event = await told('MALFORMED_DATA', ofFile(id('errors')));
    t.match(JSON.parse(event.note), { code: 'VALIDATION_FAILED', message: String });
    t.equal((await agent.post(`/files/${agent.path}/${id('errors')}`, '{')).status, 422);
    // The event of a later report is there after what a second event would have been.
    const error = { code: 'EIO', message: 'input/output error' };
    await agent.reportWith(id('errors'), { change: 'ERROR', error });
    await told('AGENT_ERROR', coded(id('errors'), 'EIO'));
    const { events } = await admin.done('GET', `/events/${agent.path}/${id('errors')}`);
    const malformed = (events as Event[]).filter(({ type }) => type === 'MALFORMED_DATA');
    t.equal(malformed.length, 1, 'at most one a minute');
  });

  await t.test('FILE_DECREASED: with a link for PROBE, with an alert for FOLLOW', async (t) => {
    await agent.report(id('probe'), 'FIRST', A);
    await agent.report(id('probe'), 'TRUNCATED', A, B);
    const event = await told('FILE_DECREASED', ofFile(id('probe')));
    t.same(JSON.parse(event.note), { from: A.length, to: B.length });
    t.equal((await linksOnce(agent, id('probe'), 2))[0]?.hash, B.hash);
    t.equal((await alertsOf(agent, id('probe'))).length, 0);
    await agent.report(id('follow'), 'FIRST', A);
    await agent.report(id('follow'), 'TRUNCATED', B, B);
    await told('FILE_DECREASED', ofFile(id('follow')));
    const alert = await told('ALERT', ofFile(id('follow')));
    t.same(JSON.parse(alert.note), { type: 'HASH_BREACH' });
  });

  await t.test('ROLLING: links for what the archive had more, and for the new file', async (t) => {
    await agent.report(id('rolled'), 'FIRST', B);
    const archives = [{ name: 'app.log.1', ...A }];
    await agent.reportWith(id('rolled'), { change: 'ROLLED', versions: [B, C], archives });
    const event = await told('ROLLING', ofFile(id('rolled')));
    matchWhole(t, JSON.parse(event.note), { archives: [{ name: 'app.log.1' }] });
    const links = await linksOnce(agent, id('rolled'), 3);
    t.same(
      links.map(({ hash }) => hash),
      [C.hash, A.hash, B.hash],
    );
  });

  await t.test('what people do to files [S7.12] [S7.23] [S3.9]', async (t) => {
    await told('CREATE_FILE', ofFile(id('late')));
    const device = await admin.done('GET', `/devices/${agent.path}`);
    const late = device.files.find((file: { id: string }) => file.id === id('late'));
    const edited = await admin.done('PUT', `/devices/${agent.path}`, {
      ...device,
      files: [{ ...late, name: 'later' }],
    });
    t.ok(edited.files.some((file: { name: string }) => file.name === 'later'));
    t.equal(edited.files.length, device.files.length, 'files that are not named stay');
    await told('MODIFY_FILE', ofFile(id('late')));
    const more = await addFiles(agent, { extra: {} });
    await admin.done('PUT', `/files/delete/${agent.path}`, { files: [more['extra']] });
    await told('DELETE_FILE', ofFile(more['extra'] ?? ''));
    await admin.done('DELETE', `/files/${agent.path}/${id('late')}`);
    await told('DELETE_FILE', ofFile(id('late')));
    t.equal((await agent.send(id('late'), { change: 'FIRST', versions: [A] })).status, 404);
    t.equal((await eventsOf(agent, id('late')))[0]?.type, 'DELETE_FILE', 'what happened stays readable');
  });

  await t.test('what people do to devices [S7.13] [S3.6] [S3.15]', async (t) => {
    const ofDevice = (deviceId: string) => (event: Event) => event.deviceId === deviceId;
    await told('CREATE_DEVICE', ofDevice(agent.deviceId));
    const change = async (fields: object) => {
      const { files: _files, ...device } = await admin.done('GET', `/devices/${agent.path}`);
      return admin.api('PUT', `/devices/${agent.path}`, { ...device, ...fields });
    };
    await change({ name: 'Renamed' });
    const renamed = await told('MODIFY_DEVICE', ofDevice(agent.deviceId));
    t.equal(renamed.note, `Changed name by ${admin.email}`, 'plain text');
    t.equal((await change({ enabled: false })).status, 422, 'a note is needed');
    t.match(await change({ enabled: false, disabledNote: 'on holiday' }), {
      status: 200,
      body: { enabled: false, disabledNote: 'on holiday', emailAddress: admin.email, disabledDate: String },
    });
    const disabled = await told('DISABLE_DEVICE', ofDevice(agent.deviceId));
    t.match(JSON.parse(disabled.note), { by: admin.email });
    const refused = await agent.send(id('probe'), { change: 'UNCHANGED', versions: [B] });
    t.match(refused, { status: 409, body: { code: 'MONITORING_DISABLED' } });
    t.equal((await agent.heartbeat('two')).status, 200, 'the heartbeat still works');
    t.match(await change({ enabled: true }), { status: 200, body: { enabled: true, disabledNote: null } });
    await told('ENABLE_DEVICE', ofDevice(agent.deviceId));

    const empty = await deviceOf(admin, { name: 'Empty' });
    await admin.done('PUT', `/devices/delete/${empty.path}`, { forced: false });
    await told('DELETE_DEVICE_UNFORCED', ofDevice(empty.deviceId));
    const remove = (forced: boolean) => admin.api('PUT', `/devices/delete/${agent.path}`, { forced });
    t.match(await remove(false), { status: 409, body: { code: 'DEVICE_HAS_FILES' } });
    t.equal((await remove(true)).status, 200);
    await told('DELETE_DEVICE_FORCED', ofDevice(agent.deviceId));
    t.equal((await agent.heartbeat('two')).status, 401, 'the key of a deleted device');
  });

  await t.test('what becomes of an enrolment token', async (t) => {
    const template = { path: '/srv', healthInterval: 60, category: 'STANDARD', files: [] };
    const made = await admin.done('POST', `/enrolments/${admin.orgId}`, { name: 'Servers', template });
    const named = (event: Event): boolean => JSON.parse(event.note).enrolment === 'Servers';
    await told('CREATE_ENROLMENT', named);
    const enrol = (key: string) =>
      admin.api('POST', '/enrol', { token: made.token, key: key.repeat(32), name: 'web-1' });
    const { body } = await enrol('a');
    const used = await told('ENROL_DEVICE', named);
    t.match(used, { deviceId: body.configuration.devId, deviceName: 'web-1' });
    t.match(await enrol('b'), { status: 410, body: { code: 'ENROLMENT_ENDED' } });
    const refused = await told('REFUSE_ENROLMENT', named);
    t.same(JSON.parse(refused.note), { by: null, enrolment: 'Servers', code: 'USED_UP', host: 'web-1' });
    await admin.done('DELETE', `/enrolments/${admin.orgId}/${made.id}`);
    const ended = await told('END_ENROLMENT', named);
    t.match(JSON.parse(ended.note), { by: admin.email });
  });

  await t.test('what becomes of a service token', async (t) => {
    const fields = { name: 'Pipeline', role: 'REGULAR', readOnly: true };
    const { id } = await admin.done('POST', `/service-tokens/${admin.orgId}`, fields);
    const named = (event: Event): boolean => JSON.parse(event.note).serviceToken === 'Pipeline';
    const made = await told('CREATE_SERVICE_TOKEN', named);
    t.match(JSON.parse(made.note), { by: admin.email, role: 'REGULAR', readOnly: true });
    await admin.done('DELETE', `/service-tokens/${admin.orgId}/${id}`);
    const ended = await told('END_SERVICE_TOKEN', named);
    t.match(JSON.parse(ended.note), { by: admin.email });
  });

  await t.test('what becomes of a webhook', async (t) => {
    const receiver = await WebhookReceiver.start();
    t.teardown(() => receiver.goOffline());
    receiver.behaviour = { kind: 'answer', status: 410 };
    const fields = { name: 'On-call', shape: 'cloudevents', url: receiver.url };
    const { id } = await admin.done('POST', `/webhooks/${admin.orgId}`, fields);
    const named = (event: Event): boolean => JSON.parse(event.note).webhook === 'On-call';
    const made = await told('CREATE_WEBHOOK', named);
    t.match(JSON.parse(made.note), { by: admin.email, shape: 'cloudevents', url: receiver.url });
    await admin.done('POST', `/webhooks/secret/${admin.orgId}/${id}`, {});
    t.match(JSON.parse((await told('ROTATE_WEBHOOK_SECRET', named)).note), { by: admin.email });
    await admin.done('POST', `/webhooks/test/${admin.orgId}/${id}`, {});
    t.match(JSON.parse((await told('DISABLE_WEBHOOK', named)).note), { by: null, reason: /410/ });
    await admin.done('PUT', `/webhooks/${admin.orgId}/${id}`, { enabled: true });
    const changed = await told('MODIFY_WEBHOOK', named);
    matchWhole(t, JSON.parse(changed.note), { by: admin.email, changed: ['enabled'] });
    const path = `/webhooks/dead-letters/${admin.orgId}/${id}`;
    const { deadLetters } = await admin.done('GET', path);
    const noticeIds = (deadLetters as { noticeId: string }[]).map(({ noticeId }) => noticeId);
    await admin.done('POST', path, { noticeIds });
    const again = await told('RESEND_WEBHOOK_NOTICES', named);
    t.match(JSON.parse(again.note), { by: admin.email, deadLetters: noticeIds.length });
    await admin.done('DELETE', `/webhooks/${admin.orgId}/${id}`);
    t.match(JSON.parse((await told('DELETE_WEBHOOK', named)).note), { by: admin.email });
  });

  await t.test('an alert is told by mail, without a rule made', async (t) => {
    const mail = await until('the mail of an alert', async () => {
      const { body } = await call(admin.server, 'GET', '/dev-mail/messages');
      const mails = body as { to: string; text: string }[];
      return mails.find(({ to, text }) => to === admin.email && /A new alert|things happened/.test(text));
    });
    t.match(mail.text, /alerts-history/);
  });

  await t.test('what becomes of a notification rule', async (t) => {
    const path = `/notifications/rules/${admin.orgId}`;
    const { rules } = await admin.done('GET', path);
    const { id: _, isDefault: __, changed: ___, changedBy: ____, ...fields } = rules[0];
    const named = (event: Event): boolean => JSON.parse(event.note).rule === 'Nights';
    const { id } = await admin.done('POST', path, { ...fields, name: 'Nights' });
    t.match(JSON.parse((await told('CREATE_NOTIFICATION_RULE', named)).note), { by: admin.email });
    await admin.done('PUT', `${path}/${id}`, { ...fields, name: 'Nights', enabled: false });
    matchWhole(t, JSON.parse((await told('MODIFY_NOTIFICATION_RULE', named)).note), { changed: ['enabled'] });
    await admin.done('DELETE', `${path}/${id}`);
    t.match(JSON.parse((await told('DELETE_NOTIFICATION_RULE', named)).note), { by: admin.email });
  });

  await t.test('what becomes of a maintenance window', async (t) => {
    const { deviceId } = await deviceOf(admin, { name: 'Patched' });
    const named = (event: Event): boolean => event.deviceId === deviceId;
    const end = (ms: number): string => new Date(Date.now() + ms).toISOString();
    const given = { reason: 'Update', scope: { deviceIds: [deviceId] }, end: end(3_600_000) };
    const { id } = await admin.done('POST', `/maintenance/${admin.orgId}`, given);
    await told('OPEN_MAINTENANCE', named);
    const path = `/maintenance/${admin.orgId}/${id}`;
    await admin.done('PUT', path, { ...given, end: end(7_200_000) });
    await told('CHANGE_MAINTENANCE', named);
    await admin.done('DELETE', path);
    await told('END_MAINTENANCE', named);
    await admin.done('PUT', `/maintenance/review/${admin.orgId}/${id}`, { note: 'As planned.' });
    const reviewed = await told('REVIEW_MAINTENANCE', named);
    t.match(JSON.parse(reviewed.note), { by: admin.email, maintenance: 'Update', note: 'As planned.' });
  });

  await t.test('what becomes of a list of expected changes', async (t) => {
    const { deviceId } = await deviceOf(admin, { name: 'Rolled out' });
    const named = (event: Event): boolean => event.deviceId === deviceId;
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const entries = [{ path: '/srv/shop.js', sha256: 'a'.repeat(64) }];
    const given = { reason: 'Release', scope: { deviceIds: [deviceId] }, end, entries };
    const { id } = await admin.done('POST', `/expected/${admin.orgId}`, given);
    const added = await told('ADD_EXPECTED_CHANGES', named);
    t.match(JSON.parse(added.note), { by: admin.email, expected: 'Release', entries: 1 });
    await admin.done('DELETE', `/expected/${admin.orgId}/${id}`);
    await told('END_EXPECTED_CHANGES', named);
  });

  await t.test('who is to handle an alert, and what is said of it', async (t) => {
    const [alert] = (await admin.done('GET', `/alerts/${admin.orgId}?limit=1`)).alerts;
    const { users } = await admin.done('GET', `/users/${admin.orgId}`);
    await admin.done('PUT', `/alerts/assign/${admin.orgId}`, { ids: [alert.id], userId: users[0].id });
    const ofAlert = ({ alertId }: Event): boolean => alertId === alert.id;
    const assigned = await told('ASSIGN_ALERT', ofAlert);
    t.same(JSON.parse(assigned.note), { by: admin.email, to: admin.email });
    const path = `/alerts/comments/${admin.orgId}/${alert.deviceId}/${alert.id}`;
    await admin.done('POST', path, { text: 'The release of today.' });
    const commented = await told('COMMENT_ALERT', ofAlert);
    t.same(JSON.parse(commented.note), { by: admin.email, comment: 'The release of today.' });
    t.equal(commented.fileId, alert.fileId);
  });

  await t.test(
    'all types were told, and the lists hold them [S3.14] [S7.16] [S7.17] [S7.18] [S7.19]',
    async (t) => {
      t.same([...seen].sort(), [...EVENT_TYPES].sort());
      const list = async (path: string) => (await admin.done('GET', `/events/${path}`)).events as Event[];
      const all = await list(`${admin.orgId}?limit=500`);
      t.same(new Set(all.map(({ type }) => type)), new Set(EVENT_TYPES));
      const ids = all.map(({ id }) => id);
      t.same(ids, [...ids].sort().reverse(), 'newest first');
      const pages: string[] = [];
      for (let last: string | null | undefined; last !== null;) {
        const page = await admin.done(
          'GET',
          `/events/${admin.orgId}?limit=7${last === undefined ? '' : `&lastId=${last}`}`,
        );
        pages.push(...(page.events as Event[]).map(({ id }) => id));
        last = page.lastId as string | null;
      }
      t.same(pages, ids, 'page by page');
      const onlyOf = (name: 'deviceId' | 'fileId', wanted: string, events: readonly Event[]): void => {
        t.ok(events.length > 0, `events with this ${name}`);
        t.same(new Set(events.map((event) => event[name])), new Set([wanted]));
      };
      onlyOf('deviceId', agent.deviceId, await list(`${agent.path}?limit=500`));
      onlyOf('fileId', id('probe'), await list(`${agent.path}/${id('probe')}`));
      const found = await list(`${admin.orgId}?deviceName=Empty`);
      t.same(
        found.map(({ type }) => type),
        ['DELETE_DEVICE_UNFORCED', 'CREATE_DEVICE'],
      );
      const middle = all[Math.floor(all.length / 2)]!.timestamp;
      const early = await list(`${admin.orgId}?limit=500&timestampTo=${middle}`);
      const late = await list(`${admin.orgId}?limit=500&timestampFrom=${middle}`);
      t.same(new Set([...early, ...late].map(({ id }) => id)), new Set(ids));
      t.ok(early.length < ids.length && late.length < ids.length);
    },
  );
});
