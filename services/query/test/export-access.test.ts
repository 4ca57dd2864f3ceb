/** Tests that an export ends when its caller loses the access that it began with. */
import t, { type Test } from 'tap';
import { csvRows, fillEvents } from './filled-store.ts';
import { LABEL } from './limited-token.ts';
import { createPlace, type Place } from './place.ts';
import { listen } from './sse-client.ts';
import { DEVICE, eventually } from './world.ts';

const EVENTS = 350;

interface Held {
  /** Begins an export, which gets its first page only. */
  begin(token: string): Promise<Running>;
  /** Lets all exports go on. */
  release(): void;
}

interface Running {
  /** The rest of the text; rejects when the connection ends before the export does. */
  readonly text: Promise<string>;
  readonly hasFailed: () => boolean;
}

async function holdAfterFirstPage(t: Test, { world, admin, orgId }: Place): Promise<Held> {
  const url = `${await listen(world)}/api/v1/events/${orgId}?toExport=true`;
  const find = world.store.find.bind(world.store);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  t.teardown(release);
  let left = Infinity;
  let count = 0;
  world.store.find = async (collection, query) => {
    if (collection === 'events') {
      count++;
      if (left-- <= 0) await released;
    }
    return find(collection, query);
  };
  const headers = { accept: 'text/csv' };
  await fetch(url, { method: 'HEAD', headers: { ...headers, 'x-access-token': admin.token } });
  const firstPage = count;
  return {
    release,
    begin: async (token) => {
      left = firstPage;
      const answer = await fetch(url, { headers: { ...headers, authorization: `Bearer ${token}` } });
      t.equal(answer.status, 200);
      await eventually(async () => (left < 0 ? true : undefined));
      let failed = false;
      const text = answer.text();
      text.catch(() => (failed = true));
      return { text, hasFailed: () => failed };
    },
  };
}

const isOver = ({ hasFailed }: Running): Promise<true> =>
  eventually(async () => (hasFailed() ? true : undefined));

t.test('an export ends when its caller signs out, is deleted, or gets another role', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId } = here;
  await fillEvents(here, EVENTS);
  const [rob, eve] = [
    await world.member(admin, 'rob@example.org', 'REGULAR'),
    await world.member(admin, 'eve@example.org', 'REGULAR'),
  ];
  const boss = await world.member(admin, 'boss@example.org', 'ADMIN');
  const { begin, release } = await holdAfterFirstPage(t, here);
  const [ofAdmin, ofRob, ofEve, ofBoss] = [
    await begin(admin.token),
    await begin(rob.token),
    await begin(eve.token),
    await begin(boss.token),
  ];
  t.equal((await rob.call('POST', '/logout')).status, 204);
  await isOver(ofRob);
  t.equal((await admin.call('DELETE', `/users/${orgId}/${eve.session.userId}`)).status, 200);
  await isOver(ofEve);
  const fields = { name: 'Boss', emailAddress: 'boss@example.org', role: 'REGULAR' };
  t.equal((await admin.call('PUT', `/users/${orgId}/${boss.session.userId}`, fields)).status, 200);
  await isOver(ofBoss);
  release();
  t.equal(csvRows(await ofAdmin.text).length > EVENTS, true, 'the export of somebody else is whole');
  t.equal((await admin.call('GET', `/events/${orgId}?toExport=true`)).status, 200);
});

t.test(
  'an export ends with its service token, and when a device leaves the reach of the token',
  async (t) => {
    const here = await createPlace(t);
    const { world, admin, orgId, deviceId } = here;
    await fillEvents(here, EVENTS);
    const label = async (labels: readonly string[]): Promise<void> => {
      const { name, path, healthInterval, category } = DEVICE;
      const fields = { name, path, healthInterval, category, enabled: true, labels };
      t.equal((await admin.call('PUT', `/devices/${orgId}/${deviceId}`, fields)).status, 200);
    };
    await label([LABEL]);
    const tokenOf = async (name: string, more: object) => {
      const fields = { name, role: 'REGULAR', readOnly: true, ...more };
      return (await admin.call('POST', `/service-tokens/${orgId}`, fields)).body as {
        id: string;
        token: string;
      };
    };
    const ended = await tokenOf('Ended', {});
    const kept = await tokenOf('Kept', { limits: { deviceIds: [deviceId], labels: [] } });
    const limited = await tokenOf('Limited', { limits: { deviceIds: [], labels: [LABEL] } });
    const { begin, release } = await holdAfterFirstPage(t, here);
    const [ofEnded, ofKept, ofLimited] = [
      await begin(ended.token),
      await begin(kept.token),
      await begin(limited.token),
    ];
    t.equal((await admin.call('DELETE', `/service-tokens/${orgId}/${ended.id}`)).status, 200);
    await isOver(ofEnded);
    await label([]);
    await isOver(ofLimited);
    release();
    t.equal(
      csvRows(await ofKept.text).length > EVENTS,
      true,
      'a token that still reaches the device goes on',
    );
    t.match(await world.call('GET', '/metrics'), { body: /^sentinel_query_exports_open\{[^}]*\} 0$/m });
  },
);
