/** Tests that the public link of a shared alert ends, and that sharing again renews it. */
import { shownDateTime } from '@sentinel-node/contracts';
import t, { type Test } from 'tap';
import type { Document } from '@sentinel-node/platform';
import { matchList } from '@sentinel-node/test-kit/matching';
import { createPlace } from './place.ts';
import { eventually, NO_LIMITS } from './world.ts';

const DAY_MS = 24 * 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();

async function sharing(t: Test) {
  const here = await createPlace(t, NO_LIMITS);
  const { world, admin, orgId, deviceId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const path = `/alerts/share/${orgId}/${deviceId}/${alert!.id}`;
  return {
    ...here,
    id: alert!.id,
    bob: await world.member(admin, 'bob@example.org', 'REGULAR'),
    path,
    history: `/alerts/history/${orgId}/${deviceId}/${alert!.id}`,
    share: (more: object = {}, address = 'carl@example.com') =>
      admin.call('POST', path, { sharedEmailAddresses: [address], ...more }),
    unshare: () => admin.call('DELETE', path),
    visit: () => world.call('GET', `/alerts/link/shared/data/${alert!.id}`),
    proof: () => world.call('GET', `/alerts/link/shared/proof/${alert!.id}`),
    read: async () => (await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alert!.id}`)).body,
    mails: async (count: number): Promise<{ text: string }[]> =>
      eventually(async () => {
        const { body } = await world.call('GET', '/dev-mail/messages');
        const sent = body.filter(({ to }: { to: string }) => to.endsWith('@example.com'));
        return sent.length === count ? sent : undefined;
      }),
  };
}

t.test('a link ends after 30 days, and 410 says what to do', async (t) => {
  const { world, share, visit, proof, read, mails } = await sharing(t);
  t.equal((await visit()).status, 404, 'never shared');
  t.notOk('shareExpiresAt' in (await read()));
  const at = world.clock.now();
  const end = at + 30 * DAY_MS;
  await share();
  t.match(await read(), { shared: true, shareExpiresAt: iso(end) });
  const [mail] = await mails(1);
  t.match(mail!.text, `The link works until ${shownDateTime(end, 'UTC')} UTC.`);

  world.clock.advance(30 * DAY_MS - 1);
  t.equal((await visit()).status, 200, 'the last millisecond');
  world.clock.advance(1);
  const detail = `The link to this alert ended on ${iso(end).slice(0, 10)} (UTC). Ask the person who sent it to share the alert again.`;
  for (const gone of [await visit(), await proof()])
    t.match(gone, { status: 410, body: { code: 'SHARE_ENDED', detail } });
});

t.test('sharing again renews a link that has ended', async (t) => {
  const { world, admin, orgId, id, share, visit, read } = await sharing(t);
  await share({ expiresInDays: 1 });
  const stored = (await world.store.get('alert_shares', id)) as Document & { rev: number };
  // Ends before any session does.
  const end = world.clock.now() + 1_000;
  await world.store.update('alert_shares', { ...stored, rev: stored.rev + 1, expiresAt: end }, stored.rev);
  t.equal((await visit()).status, 200);
  world.clock.advance(1_000);
  t.equal((await visit()).status, 410);
  const ended = await read();
  t.match(ended, { shared: false, shareExpiresAt: iso(end) });
  t.equal(ended.sharedData.length, 1, 'to whom it was sent stays');
  const asCsv = { accept: 'text/csv' };
  const { body: csv } = await admin.call('GET', `/alerts/${orgId}?toExport=true`, undefined, asCsv);
  t.match(csv, /;false;carl@example\.com;/, 'also in the export');
  await share();
  t.equal((await visit()).status, 200);
  t.match(await read(), { shared: true, shareExpiresAt: iso(end + 30 * DAY_MS) });
});

t.test('whoever shares says when the link ends, from a day to a year', async (t) => {
  const { world, share, read } = await sharing(t);
  const at = world.clock.now();
  t.equal((await share({ expiresInDays: 365 })).status, 200);
  t.equal((await read()).shareExpiresAt, iso(at + 365 * DAY_MS));
  await share({}, 'dora@example.com');
  t.equal((await read()).shareExpiresAt, iso(at + 365 * DAY_MS), 'the default brings no end forward');
  await share({ expiresInDays: 1 });
  t.equal((await read()).shareExpiresAt, iso(at + DAY_MS), 'a wish does');
  for (const expiresInDays of [0, 366, 1.5, '7', null])
    t.match(await share({ expiresInDays }), { status: 422, body: { code: 'VALIDATION_FAILED' } });
});

t.test('a sharing that was taken back is 404, not 410, also after its end', async (t) => {
  const { world, share, unshare, visit, read } = await sharing(t);
  await share();
  await unshare();
  t.notOk('shareExpiresAt' in (await read()));
  world.clock.advance(31 * DAY_MS);
  t.equal((await visit()).status, 404);
});

t.test('the history of an alert names who shared it and who ended the sharing', async (t) => {
  const { world, admin, bob, path, history } = await sharing(t);
  const told = async () => (await admin.call('GET', history)).body.history;
  world.clock.advance(60_000);
  const addresses = ['carl@example.com', 'dora@example.com'];
  t.equal((await bob.call('POST', path, { sharedEmailAddresses: addresses })).status, 200);
  const shared = { kind: 'SHARED', timestamp: iso(world.clock.now()), text: null };
  const byBob = { ...shared, by: 'bob@example.org', to: addresses };
  matchList(t, await told(), [byBob, { kind: 'RAISED' }]);
  // The clock stands still: also within a millisecond the newest is first.
  t.equal((await admin.call('DELETE', path)).status, 200);
  const byAda = { ...shared, by: 'ada@example.org', to: [] };
  matchList(t, await told(), [byAda, byBob, { kind: 'RAISED', by: null }]);
  t.equal((await admin.call('DELETE', path)).status, 200);
  t.equal((await told()).length, 3, 'what has ended does not end again');
  t.equal((await admin.call('DELETE', `/users/${admin.orgId}/${bob.userId}`)).status, 200);
  await eventually(async () => {
    const { users } = (await admin.call('GET', `/users/${admin.orgId}`)).body;
    return users.length === 1 ? true : undefined;
  });
  matchList(t, await told(), [byAda, byBob, { kind: 'RAISED' }]);
});

t.test('a link of an earlier version ends 30 days after it was last sent', async (t) => {
  const { world, orgId, id, visit, read } = await sharing(t);
  const at = world.clock.now();
  const sharedData = [at - 90 * DAY_MS, at - 29 * DAY_MS].map((time, index) => {
    return { emailAddress: `a${index}@example.com`, timestamp: iso(time) };
  });
  await world.store.insertUnique('alert_shares', { id, rev: 2, orgId, sharedData, changes: [] });
  t.equal((await visit()).status, 200);
  t.match(await read(), { shared: true, shareExpiresAt: iso(at + DAY_MS) });
  world.clock.advance(DAY_MS);
  t.equal((await visit()).status, 410);
});
