import t from 'tap';
import type { FileHistory } from './chain-records.ts';
import { createScene } from './scene.ts';
import { verifyClaimsOf } from './small-verifier.ts';
import { createWorld, NO_LIMITS, untilShown, type Answer, type Person } from './world.ts';

const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort();
const winnerOf = (answers: readonly Answer[]): Answer => answers.find(({ status }) => status === 200)!;
const loserOf = (answers: readonly Answer[]): Answer => answers.find(({ status }) => status === 409)!;

t.test(
  'of two clients who change one thing from the same read, one gets 409 and nothing is lost',
  async (t) => {
    const world = await createWorld(t, NO_LIMITS);
    const histories = new Map<string, FileHistory>();
    await verifyClaimsOf(t, world.eventLog, histories);
    const scene = await createScene(world, histories);
    const { admin, regular, orgId, deviceId, fileId, alertId } = scene;
    const second = await world.member(admin, scene.email('sue'), 'ADMIN');

    await t.test('a device', async (t) => {
      const path = `/devices/${orgId}/${deviceId}`;
      const { body: read, headers } = await admin.call('GET', path);
      const match = { 'if-match': String(headers['etag']) };
      const answers = await Promise.all([
        admin.call('PUT', path, { ...read, name: 'From Ada', files: [] }, match),
        regular.call('PUT', path, { ...read, description: 'From Bob', files: [] }, match),
      ]);
      t.strictSame(statuses(answers), [200, 409]);
      t.equal(loserOf(answers).body.code, 'STALE');
      const now = await admin.call('GET', path);
      t.strictSame(now.body, winnerOf(answers).body, 'as the winner left it');
      t.equal(now.headers['etag'], winnerOf(answers).headers['etag']);
      t.not(now.headers['etag'], headers['etag']);

      const again = { 'if-match': String(now.headers['etag']) };
      t.equal(
        (await regular.call('PUT', path, { ...now.body, description: 'Now from Bob' }, again)).status,
        200,
      );
      t.match((await admin.call('GET', path)).body, { description: 'Now from Bob', name: now.body.name });
    });

    await t.test('the files of a device', async (t) => {
      const { headers } = await admin.call('GET', `/devices/${orgId}/${deviceId}`);
      const match = { 'if-match': String(headers['etag']) };
      const file = (await admin.call('GET', `/files/${orgId}/${deviceId}/${fileId}`)).body;
      const files = `/devices/files/${orgId}/${deviceId}`;
      const answers = await Promise.all([
        admin.call('PUT', files, { files: [{ ...file, name: 'A' }] }, match),
        regular.call('PUT', files, { files: [{ ...file, description: 'B' }] }, match),
      ]);
      t.strictSame(statuses(answers), [200, 409]);
      const gone = await admin.call('PUT', `/files/delete/${orgId}/${deviceId}`, { files: [fileId] }, match);
      t.match(gone, { status: 409, body: { code: 'STALE' } });
      t.equal(
        (await admin.call('PUT', `/devices/delete/${orgId}/${deviceId}`, { forced: true }, match)).status,
        409,
      );
      t.equal((await admin.call('POST', `/devices/key/${orgId}/${deviceId}`, {}, match)).status, 409);
    });

    await t.test('a file', async (t) => {
      const path = `/files/${orgId}/${deviceId}/${fileId}`;
      const before = await admin.call('GET', path);
      const match = { 'if-match': String(before.headers['etag']) };
      await regular.call('PUT', `/devices/${orgId}/${deviceId}`, {
        ...(await admin.call('GET', `/devices/${orgId}/${deviceId}`)).body,
        name: 'Another name',
      });
      t.equal(
        (await admin.call('GET', path)).headers['etag'],
        before.headers['etag'],
        'its device is another thing',
      );
      await regular.call('PUT', `/devices/files/${orgId}/${deviceId}`, {
        files: [{ ...before.body, name: 'C' }],
      });
      t.match(await admin.call('DELETE', path, undefined, match), { status: 409, body: { code: 'STALE' } });
      t.equal((await admin.call('GET', path)).body.name, 'C');
    });

    await t.test('a user', async (t) => {
      const path = `/users/${orgId}/${regular.userId}`;
      const { body: read, headers } = await admin.call('GET', path);
      const match = { 'if-match': String(headers['etag']) };
      const answers = await Promise.all([
        admin.call('PUT', path, { ...read, name: 'From Ada' }, match),
        second.call('PUT', path, { ...read, name: 'From Sue' }, match),
      ]);
      t.strictSame(statuses(answers), [200, 409]);
      t.equal(loserOf(answers).body.code, 'STALE');
      t.strictSame((await admin.call('GET', path)).body, winnerOf(answers).body);
      t.match(await second.call('DELETE', path, undefined, match), { status: 409, body: { code: 'STALE' } });
      const other = `/users/${orgId}/${second.userId}`;
      const tag = String((await admin.call('GET', other)).headers['etag']);
      await admin.call('PUT', path, { ...read, name: 'Once more' });
      const renamed = { name: 'Sue', emailAddress: scene.email('sue'), role: 'ADMIN' };
      const untouched = await admin.call('PUT', other, renamed, { 'if-match': tag });
      t.equal(untouched.status, 200, 'a change of another user makes nothing stale');
    });

    await t.test('the organisation', async (t) => {
      const path = `/orgs/${orgId}`;
      const match = { 'if-match': String((await admin.call('GET', path)).headers['etag']) };
      const answers = await Promise.all([
        admin.call('PUT', path, { stripeId: 'cus_1' }, match),
        second.call('PUT', path, { stripeId: 'cus_2' }, match),
      ]);
      t.strictSame(statuses(answers), [200, 409]);
      t.equal((await admin.call('GET', path)).body.stripeId, winnerOf(answers).body.stripeId);
    });

    await t.test('[S4.1] [S4.3] an alert', async (t) => {
      const one = `/alerts/${orgId}/${deviceId}/${alertId}`;
      const path = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alertId}`;
      const read = await admin.call('GET', one);
      await admin.call('POST', `/alerts/share/${orgId}/${deviceId}/${alertId}`, {
        sharedEmailAddresses: ['erin@example.com'],
      });
      const stale = { 'if-match': String(read.headers['etag']) };
      const dismiss = { note: 'expected', status: 'RESOLVED' };
      t.match(await admin.call('PUT', path, dismiss, stale), { status: 409, body: { code: 'STALE' } });
      const match = { 'if-match': String((await admin.call('GET', one)).headers['etag']) };
      const answers = await Promise.all([
        untilShown(() => admin.call('PUT', path, dismiss, match)),
        untilShown(() => regular.call('PUT', path, { note: 'new baseline', status: 'DEACTIVATED' }, match)),
      ]);
      t.strictSame(statuses(answers), [200, 409]);
      t.equal((await admin.call('GET', one)).body.status, winnerOf(answers).body.status);
      for (const status of ['RESOLVED', 'DEACTIVATED']) {
        const late = await second.call('PUT', path, { note: 'too late', status });
        t.match(late, { status: 409, body: { code: 'ALERT_NOT_ACTIVE' } });
      }
      t.equal((await second.call('PUT', path, { note: 'back', status: 'ACTIVE' })).status, 422);
    });
  },
);

/** Reads what `path` shows, and the header by which only that state may be changed. */
async function readTagged(person: Person, path: string) {
  const { body, headers, status } = await person.call('GET', path);
  return { status, body, match: { 'if-match': String(headers['etag']) } };
}

t.test(
  'of two who change a rule, a window, a webhook or a setting from one read, one gets 409',
  async (t) => {
    const world = await createWorld(t, NO_LIMITS);
    const admin = await world.organization('Acme', 'ada@example.org');
    const { orgId } = admin;
    const second = await world.member(admin, 'sue@example.org', 'ADMIN');
    const hook = { name: 'pager', shape: 'cloudevents', url: 'https://receiver.invalid/a' };
    const webhookId = (await admin.call('POST', `/webhooks/${orgId}`, hook)).body.id as string;
    const isStale = { status: 409, body: { code: 'STALE' } };

    for (const which of ['a rule', 'the default rule'])
      await t.test(which, async (t) => {
        const rules = `/notifications/rules/${orgId}`;
        const [rule] = (await admin.call('GET', rules)).body.rules;
        const made =
          which === 'a rule' && (await admin.call('POST', rules, { ...rule, name: 'Another' })).body;
        const path = `${rules}/${made ? made.id : orgId}`;
        const read = await readTagged(admin, path);
        t.strictSame(read, { ...read, status: 200, body: made || rule }, 'as in the list');
        const same = await admin.call('PUT', path, read.body, read.match);
        t.strictSame([same.status, same.body], [200, read.body], 'nothing is changed');
        t.equal(same.headers['etag'], read.match['if-match']);
        const to = { ...read.body.to, webhookIds: [webhookId] };
        const answers = await Promise.all([
          admin.call('PUT', path, { ...read.body, name: 'From Ada' }, read.match),
          second.call('PUT', path, { ...read.body, to }, read.match),
        ]);
        t.strictSame(statuses(answers), [200, 409]);
        t.equal(loserOf(answers).body.code, 'STALE');
        const now = await readTagged(admin, path);
        t.strictSame(now.body, winnerOf(answers).body, 'as the winner left it');
        t.equal(winnerOf(answers).headers['etag'], now.match['if-match']);
        t.match(await second.call('DELETE', path, undefined, read.match), isStale);
        t.equal((await second.call('PUT', path, { ...now.body, name: 'Now' }, now.match)).status, 200);
        const last = await readTagged(admin, path);
        t.equal((await admin.call('DELETE', path, undefined, last.match)).status, 200);
        t.equal((await admin.call('GET', path)).status, 404);
        t.equal((await admin.call('PUT', path, read.body, read.match)).status, 404, 'gone, not stale');
      });

    await t.test('a rule that never was', async (t) => {
      const path = `/notifications/rules/${orgId}/019aa5f0-7c00-7a10-8000-0000000000ff`;
      t.equal((await admin.call('GET', path)).status, 404);
      t.equal((await admin.call('DELETE', path, undefined, { 'if-match': '"7"' })).status, 404);
    });

    await t.test('a maintenance window', async (t) => {
      const at = (hours: number): string => new Date(world.clock.now() + hours * 3_600_000).toISOString();
      const window = { reason: 'Update', scope: { everything: true }, end: at(2) };
      const { id } = (await admin.call('POST', `/maintenance/${orgId}`, window)).body;
      const path = `/maintenance/${orgId}/${id}`;
      const read = await readTagged(admin, path);
      const longer = await second.call('PUT', path, { ...window, end: at(4) }, read.match);
      t.equal(longer.status, 200);
      t.match(await admin.call('PUT', path, { ...window, reason: 'Kernel' }, read.match), isStale);
      t.match(await admin.call('DELETE', path, {}, read.match), isStale);
      const now = await readTagged(admin, path);
      t.strictSame(now.body, longer.body);
      t.equal(longer.headers['etag'], now.match['if-match']);
      world.clock.advance(1_000);
      const ended = await admin.call('DELETE', path, {}, now.match);
      t.match(ended, { status: 200, body: { state: 'ENDED' } });
      const review = `/maintenance/review/${orgId}/${id}`;
      t.match(await admin.call('PUT', review, { note: 'seen' }, now.match), isStale);
      const match = { 'if-match': String(ended.headers['etag']) };
      t.equal((await admin.call('PUT', review, { note: 'seen' }, match)).status, 200);
    });

    await t.test('a webhook', async (t) => {
      const path = `/webhooks/${orgId}/${webhookId}`;
      const read = await readTagged(admin, path);
      t.strictSame(read.body, (await admin.call('GET', `/webhooks/${orgId}`)).body.webhooks[0]);
      t.equal((await second.call('PUT', path, { enabled: false }, read.match)).status, 200);
      const moved = { ...read.body, url: 'https://receiver.invalid/b' };
      t.match(await admin.call('PUT', path, moved, read.match), isStale);
      t.match(await admin.call('DELETE', path, undefined, read.match), isStale);
      const now = await readTagged(admin, path);
      t.match(now.body, { enabled: false, url: read.body.url });
      t.equal((await admin.call('DELETE', path, undefined, now.match)).status, 200);
      t.equal((await admin.call('GET', path)).status, 404);
    });

    await t.test('the own mails, which a link in a mail switches off', async (t) => {
      const path = `/notifications/own/${orgId}`;
      const read = await readTagged(admin, path);
      const first = await admin.call('PUT', path, { ...read.body, mails: false }, read.match);
      t.match(first, { status: 200, body: { mails: false } });
      const quiet = { ...read.body, quietHours: { from: '22:00', to: '06:00' } };
      t.match(await admin.call('PUT', path, quiet, read.match), isStale);
      const now = await readTagged(admin, path);
      t.strictSame([now.body, now.match['if-match']], [first.body, first.headers['etag']]);
      t.equal((await admin.call('PUT', path, quiet, now.match)).status, 200);
    });
  },
);
