import { eventId, utf8 } from '@sentinel-node/contracts';
import t from 'tap';
import type { Query } from '@sentinel-node/platform';
import { VIEWS, type DeviceView, type EventView } from '../src/views/index.ts';
import { createPlace, type Place } from './place.ts';

const idOf = (n: number): string => `019aa5f0-7c00-7000-9000-${String(n).padStart(12, '0')}`;

/** Adds devices like the place's own, each with one event; newest events first. */
async function fillDevices({ world, orgId, deviceId }: Place, names: readonly string[]): Promise<string[]> {
  const like = (await world.store.get('devices', deviceId)) as unknown as DeviceView;
  const at = world.clock.now();
  const devices = names.map((name, n): DeviceView => ({ ...like, id: idOf(n), name }));
  const events = names.map((_, n): EventView => {
    const what = { orgId, deviceId: idOf(n), fileId: null, type: 'CREATE_DEVICE', note: '' } as const;
    const id = eventId(at + n, what.type, utf8(`${n}`));
    return { id, timestamp: at + n, alertId: null, hashId: null, ...what };
  });
  await world.store.bulkUpsert('devices', devices);
  await world.store.insertMissing('events', events);
  return events.map(({ id }) => id).reverse();
}

t.test('events of a device by its name, however many names hold it [S7.16]', async (t) => {
  const here = await createPlace(t);
  const { admin, orgId } = here;
  const names = Array.from({ length: 1_200 }, (_, n) => `web-1${n}`);
  const [wanted] = await fillDevices(here, [...names, 'Web-1']);
  const { body } = await admin.call('GET', `/events/${orgId}?deviceName=web-1`);
  t.same(
    body.events.map(({ id }: { id: string }) => id),
    [wanted],
  );
});

t.test('more devices of one name than an index is asked for', async (t) => {
  const here = await createPlace(t);
  const { admin, orgId } = here;
  const twins = Array.from({ length: 250 }, (_, n) => (n % 5 === 0 ? 'other' : 'twin'));
  const ids = await fillDevices(here, twins);
  const wanted = ids.filter((_, n) => twins[twins.length - 1 - n] === 'twin');
  const got: string[] = [];
  for (let lastId: string | null = ''; lastId !== null;) {
    const more = lastId === '' ? '' : `&lastId=${lastId}`;
    const { body } = await admin.call('GET', `/events/${orgId}?deviceName=TWIN&limit=70${more}`);
    got.push(...body.events.map(({ id }: { id: string }) => id));
    lastId = body.lastId;
  }
  t.same(got, wanted);
  const found = await admin.call('GET', `/events/${orgId}?deviceName=twin&search=other`);
  t.same(found.body.events, []);
});

t.test('events of a few devices of one name are read by the index of each device', async (t) => {
  const here = await createPlace(t);
  const { admin, orgId, world } = here;
  const ids = await fillDevices(here, ['twin', 'other', 'twin']);
  const asked: Query[] = [];
  const events: string = VIEWS.events;
  const find = world.store.find.bind(world.store);
  world.store.find = (collection, query) => {
    if (collection === events) asked.push(query);
    return find(collection, query);
  };
  const { body } = await admin.call('GET', `/events/${orgId}?deviceName=twin`);
  t.same(
    body.events.map(({ id }: { id: string }) => id),
    [ids[0], ids[2]],
  );
  const planOf = async (query: Query): Promise<string> =>
    (await world.store.explain(VIEWS.events, query)).detail.split(' (')[0]!;
  const byDevice = await planOf({ where: { deviceId: 'one' }, limit: 1 });
  t.ok(asked.length > 0);
  for (const query of asked) t.equal(await planOf(query), byDevice);
});
