import t from 'tap';
import { CLAIMS_COLLECTION } from '@sentinel-node/platform';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import type { SharesDocument } from '../src/alerts/shares.ts';
import { createPlace, placeIn } from './place.ts';
import { verifyClaims } from './small-verifier.ts';
import { createWorld, eventually, untilShown } from './world.ts';

/** For tests that count nothing in the whole world. */
const shared = await createWorld(t);
const DISMISS = { note: 'expected', status: 'RESOLVED' };
const RESET = { note: 'new baseline', status: 'DEACTIVATED' };

t.test('an alert is dismissed, and the answer shows it [S3.12] [S3.16] [S7.7]', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const claims = await verifyClaims(t, world.eventLog, history);
  const path = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alert!.id}`;

  const done = await untilShown(() => admin.call('PUT', path, { ...DISMISS, occurrences: 1 }));
  t.equal(done.status, 200);
  t.match(done.body, {
    id: alert!.id,
    status: 'RESOLVED',
    note: 'expected',
    overrideUserEmail: 'ada@example.org',
    overrideUser: claims[0]!.actor,
  });
  const chain = await admin.call('PUT', `/files/chain/${orgId}/${deviceId}/${fileId}`, {});
  matchWhole(t, chain.body.links[0], {
    type: 'OVERRIDEN',
    alerts: [{ id: alert!.id, type: 'HASH_BREACH', status: 'RESOLVED' }],
  });

  t.equal((await admin.call('PUT', path, DISMISS)).status, 200, 'the same command of the same person');
  const other = await admin.call('PUT', path, RESET);
  t.equal(other.status, 409);
  t.equal(other.body.code, 'ALERT_NOT_ACTIVE');
  t.equal(claims.length, 1);
  t.match(claims[0], { alertId: alert!.id, fileId, status: 'RESOLVED', actorEmail: 'ada@example.org' });
});

t.test('of two who turn off one alert at once, one gets 409', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  const regular = await world.member(admin, 'rita@example.org', 'REGULAR');
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const claims = await verifyClaims(t, world.eventLog, history);
  const path = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alert!.id}`;

  const answers = await Promise.all([
    untilShown(() => admin.call('PUT', path, DISMISS)),
    untilShown(() => regular.call('PUT', path, RESET)),
  ]);
  t.same(answers.map(({ status }) => status).sort(), [200, 409]);
  t.equal(claims.length, 1);
  const [winner] = answers.filter(({ status }) => status === 200);
  t.equal(winner!.body.status, claims[0]!.status);
});

t.test('what occurred again is not turned off unseen; what is unknown is 404', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  history.again(alert!.id);
  await here.write();
  const at = (device: string, file: string, id = alert!.id) =>
    `/alerts/turnoff/${orgId}/${device}/${file}/${id}`;

  const changed = await admin.call('PUT', at(deviceId, fileId), { ...DISMISS, occurrences: 1 });
  t.equal(changed.status, 409);
  t.equal(changed.body.code, 'ALERT_CHANGED');
  t.equal((await admin.call('PUT', at(deviceId, deviceId), DISMISS)).status, 404);
  t.equal((await admin.call('PUT', at(deviceId, fileId, 'NONE'), DISMISS)).status, 404);
  for (const note of ['', ' ', '\u200b'])
    t.equal((await admin.call('PUT', at(deviceId, fileId), { status: 'RESOLVED', note })).status, 422);
  t.equal((await admin.call('PUT', at(deviceId, fileId), { note: 'x', status: 'ACTIVE' })).status, 422);
  const other = await world.organization('Other', 'bob@example.org');
  t.equal((await other.call('PUT', at(deviceId, fileId), DISMISS)).status, 404);
  t.equal(await world.store.count('claims'), 0);
});

t.test(
  'what occurred again before the claim in the log is not turned off, and can be claimed anew',
  async (t) => {
    const here = await createPlace(t);
    const { world, admin, orgId, deviceId, fileId, history } = here;
    const regular = await world.member(admin, 'rita@example.org', 'REGULAR');
    history.baseline();
    const [alert] = history.breach().alerts;
    await here.write();
    const path = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alert!.id}`;

    const waiting = untilShown(() => admin.call('PUT', path, { ...RESET, occurrences: 1 }));
    const { id: claimId } = await eventually(() => world.store.get('claims', alert!.id));
    t.equal(claimId, alert!.id);
    history.again(alert!.id);
    await here.write();
    t.match(await waiting, { status: 409, body: { code: 'ALERT_CHANGED' } });
    const claims = await verifyClaims(t, world.eventLog, history);
    t.match((await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alert!.id}`)).body, {
      status: 'ACTIVE',
      occurrences: 2,
    });
    const again = await admin.call('PUT', path, { ...RESET, occurrences: 1 });
    t.match(again, { status: 409, body: { code: 'ALERT_CHANGED' } }, 'the same command once more');

    const answers = await Promise.all([
      untilShown(() => regular.call('PUT', path, { ...DISMISS, occurrences: 2 })),
      untilShown(() => admin.call('PUT', path, RESET)),
    ]);
    t.same(answers.map(({ status }) => status).sort(), [200, 409], 'of two who claim anew, one wins');
    const [winner] = answers.filter(({ status }) => status === 200);
    const [loser] = answers.filter(({ status }) => status === 409);
    t.equal(loser!.body.code, 'ALERT_NOT_ACTIVE');
    t.strictSame(
      claims.map(({ occurrences, status }) => ({ occurrences, status })),
      [
        { occurrences: 1, status: 'DEACTIVATED' },
        { occurrences: 2, status: winner!.body.status },
      ],
      'both are in the log, and the first had no effect',
    );
  },
);

t.test('several that occurred again are answered alert by alert', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, history } = here;
  history.baseline();
  const [first] = history.breach('HASH_BREACH').alerts;
  const [second] = history.breach('EMPTY').alerts;
  await here.write();
  const ids = [first!.id, second!.id];
  const command = { ids, ...DISMISS, occurrences: [1, 1] };
  const waiting = untilShown(() => admin.call('PUT', `/alerts/turnoff/${orgId}`, command));
  await eventually(async () => ((await world.store.count('claims')) === 2 ? true : undefined));
  history.again(first!.id);
  await here.write();
  await verifyClaims(t, world.eventLog, history);
  const { body } = await waiting;
  t.same(body.answers, [
    { id: first!.id, status: 409, code: 'ALERT_CHANGED' },
    { id: second!.id, status: 200, code: null },
  ]);
});

t.test('several are compared with the occurrences that the person saw', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, history } = here;
  history.baseline();
  const [first] = history.breach('HASH_BREACH').alerts;
  const [second] = history.breach('EMPTY').alerts;
  history.again(first!.id);
  await here.write();
  await verifyClaims(t, world.eventLog, history);
  const ids = [second!.id, first!.id];
  const turnOff = (occurrences: number[]) =>
    admin.call('PUT', `/alerts/turnoff/${orgId}`, { ids, ...DISMISS, occurrences });
  const short = await turnOff([1]);
  t.equal(short.status, 422);
  matchList(t, short.body.errors, [{ path: '/occurrences' }]);
  const { body } = await untilShown(() => turnOff([1, 1]));
  t.same(body.answers, [
    { id: second!.id, status: 200, code: null },
    { id: first!.id, status: 409, code: 'ALERT_CHANGED' },
  ]);
  const { body: left } = await admin.call('GET', `/alerts/${orgId}?status=ACTIVE`);
  matchList(t, left.alerts, [{ id: first!.id, occurrences: 2 }], 'content that nobody saw is not handled');
});

t.test('who waited while another handled what occurred again has not won', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const path = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alert!.id}`;
  const waiting = untilShown(() => admin.call('PUT', path, DISMISS));
  const published = async () => {
    const claim = await world.store.get(CLAIMS_COLLECTION.name, alert!.id);
    return claim?.unpublished === undefined ? claim : undefined;
  };
  const lost = await eventually(published);
  const record = { ...lost.record, claimId: 'another', occurrences: 2, note: 'seen' };
  const rev = lost.rev + 1;
  await world.store.update(CLAIMS_COLLECTION.name, { ...lost, rev, record }, lost.rev);
  history.again(alert!.id);
  history.handled(alert!.id, { id: record.actor, email: 'rita@example.org', note: 'seen' });
  await here.write();
  t.match(await waiting, { status: 409, body: { code: /^ALERT_(NOT_ACTIVE|CHANGED)$/ } });
});

t.test('an answer that cannot show the change is 503, and the claim stands', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const path = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alert!.id}`;
  const late = await admin.call('PUT', path, DISMISS);
  t.equal(late.status, 503);
  t.ok(late.headers['retry-after']);
  await verifyClaims(t, world.eventLog, history);
  t.equal((await untilShown(() => admin.call('PUT', path, DISMISS))).status, 200, 'asked again');
});

t.test('several are turned off, with an answer each', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, history } = here;
  history.baseline();
  const [first] = history.breach('HASH_BREACH').alerts;
  const [second] = history.breach('EMPTY').alerts;
  await here.write();
  await verifyClaims(t, world.eventLog, history);
  const ids = [second!.id, 'NONE', first!.id];
  const { status, body } = await untilShown(() =>
    admin.call('PUT', `/alerts/turnoff/${orgId}`, { ids, ...RESET }),
  );
  t.equal(status, 200);
  t.same(body.answers, [
    { id: second!.id, status: 200, code: null },
    { id: 'NONE', status: 404, code: 'NOT_FOUND' },
    { id: first!.id, status: 200, code: null },
  ]);
  const { body: list } = await admin.call('GET', `/alerts/${orgId}?status=DEACTIVATED`);
  t.equal(list.alerts.length, 2);
});

t.test('a shared alert is public until it is not [S3.12] [S7.5] [S7.6]', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const [alert] = history.breach('HASH_BREACH', '{"sequence": 7}').alerts;
  await here.write();
  const read = () => world.call('GET', `/alerts/link/shared/data/${alert!.id}`);
  const share = `/alerts/share/${orgId}/${deviceId}/${alert!.id}`;
  t.equal((await read()).status, 404);

  const sharedEmailAddresses = ['carl@example.com', 'CARL@example.com', 'dora@example.com'];
  const shared = await admin.call('POST', share, { sharedEmailAddresses });
  t.equal(shared.status, 200);
  t.same(shared.body, {});
  const mails = await eventually(async () => {
    const { body } = await world.call('GET', '/dev-mail/messages');
    const sent = body.filter(({ to }: { to: string }) => to.endsWith('@example.com'));
    return sent.length === 2 ? sent : undefined;
  });
  t.match(mails[0].links[0], new RegExp(`/share/alert/${alert!.id}$`));
  const { body: known } = await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alert!.id}`);
  t.equal(known.shared, true);
  t.equal(known.sharedData.length, 2);

  const open = await read();
  t.equal(open.status, 200);
  t.same(open.body, {
    id: alert!.id,
    timestamp: new Date(alert!.timestamp).toISOString(),
    status: 'ACTIVE',
    type: 'HASH_BREACH',
    deviceId,
    deviceName: 'Server 1',
    fileId,
    fileName: 'Log',
    overrideUserEmail: null,
    note: null,
    eventRequest: '{"sequence": 7}',
  });
  t.equal(open.headers['x-robots-tag'], 'noindex');
  t.equal(open.headers['referrer-policy'], 'no-referrer');

  t.equal((await admin.call('POST', share, { sharedEmailAddresses: ['nobody'] })).status, 422);
  t.equal((await admin.call('POST', share, { sharedEmailAddresses: [] })).status, 422);
  t.equal((await admin.call('DELETE', share)).status, 200);
  t.equal((await read()).status, 404);
});

t.test('strangers read only what the specification lists of a shared alert [S2]', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, history } = here;
  history.baseline();
  const record = history.breach('UNEXPECTED_CHANGE');
  const attributeChanges = [{ name: 'mode', before: '0644', after: '0666' }] as const;
  const [alert] = record.alerts;
  Object.assign(alert!, { attributeChanges });
  await here.write();
  const { body: own } = await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alert!.id}`);
  t.same(own.attributeChanges, attributeChanges, 'members read what changed');
  const share = `/alerts/share/${orgId}/${deviceId}/${alert!.id}`;
  t.equal((await admin.call('POST', share, { sharedEmailAddresses: ['carl@example.com'] })).status, 200);
  const open = await world.call('GET', `/alerts/link/shared/data/${alert!.id}`);
  t.same(
    Object.keys(open.body).sort(),
    'deviceId deviceName eventRequest fileId fileName id note overrideUserEmail status timestamp type'.split(
      ' ',
    ),
  );
});

t.test('the public page of a handled alert shows no whole e-mail', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  await verifyClaims(t, world.eventLog, history);
  const turnOff = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alert!.id}`;
  t.equal((await untilShown(() => admin.call('PUT', turnOff, DISMISS))).status, 200);
  const share = `/alerts/share/${orgId}/${deviceId}/${alert!.id}`;
  t.equal((await admin.call('POST', share, { sharedEmailAddresses: ['carl@example.com'] })).status, 200);
  const open = await world.call('GET', `/alerts/link/shared/data/${alert!.id}`);
  t.equal(open.body.overrideUserEmail, 'a…@example.org');
  t.notMatch(JSON.stringify(open.body), /ada\./);
  const { body: own } = await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alert!.id}`);
  t.equal(own.overrideUserEmail, admin.email, 'members see who it was');
});

t.test('who shared an alert, with whom, and who ended it is kept', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const regular = await world.member(admin, 'rita@example.org', 'REGULAR');
  const share = `/alerts/share/${orgId}/${deviceId}/${alert!.id}`;
  const shareWith = (person: typeof admin | typeof regular, ...sharedEmailAddresses: string[]) =>
    person.call('POST', share, { sharedEmailAddresses });
  const at = world.clock.now();
  t.equal((await regular.call('DELETE', share)).status, 200, 'nothing to end');
  t.equal((await shareWith(admin, 'carl@example.com', 'dora@example.com')).status, 200);
  t.equal((await regular.call('DELETE', share)).status, 200);
  t.equal((await shareWith(regular, 'erin@example.com')).status, 200);
  const { changes } = (await world.store.get('alert_shares', alert!.id)) as unknown as SharesDocument;
  t.same(changes, [
    {
      at,
      by: (await admin.call('GET', '/session')).body.userId,
      emailAddresses: ['carl@example.com', 'dora@example.com'],
    },
    { at, by: regular.userId, emailAddresses: [] },
    { at, by: regular.userId, emailAddresses: ['erin@example.com'] },
  ]);
  const { body } = await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alert!.id}`);
  t.same(body.sharedData, [{ emailAddress: 'erin@example.com', timestamp: new Date(at).toISOString() }]);
});
