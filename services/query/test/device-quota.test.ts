import t from 'tap';
import { LIMITS } from '@sentinel-node/contracts';
import { commit, OverloadedError } from '@sentinel-node/platform';
import { DeviceQuota } from '../src/devices/device-quota.ts';
import { QUOTAS_COLLECTION } from '../src/storage/quotas.ts';
import { RESERVATION_GRACE_MS } from '../src/storage/reservations.ts';
import { VIEWS } from '../src/views/index.ts';
import { secondProcess } from './second-process.ts';
import { createWorld, DEVICE, NO_LIMITS, personOf, type World } from './world.ts';

const view = (orgId: string, id: string) => ({ id, rev: 1, orgId, deleted: false, name: id });
const fill = async ({ store }: World, orgId: string, count: number): Promise<void> => {
  const documents = Array.from({ length: count }, (_, n) => view(orgId, `filled-${n}`));
  await store.insertMissing('devices', documents);
};
/** Returns how often each code refused a call. */
async function refusals(takes: readonly Promise<void>[]): Promise<Record<string, number>> {
  const codes: Record<string, number> = {};
  for (const taken of await Promise.allSettled(takes)) {
    if (taken.status === 'fulfilled') continue;
    const { code } = taken.reason as { readonly code: string };
    codes[code] = (codes[code] ?? 0) + 1;
  }
  return codes;
}

t.test('two clients at the limit of devices, at two processes: one gets in', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const ann = await world.organization('Acme', 'ann@example.org');
  await fill(world, ann.orgId, LIMITS.devicesPerOrganization - 1);
  const elsewhere = await secondProcess(t, world, NO_LIMITS);
  const { body: wallet } = await elsewhere('POST', '/dev-wallet/login', {
    email: 'ann@example.org',
    name: 'Ann',
  });
  const again = personOf(elsewhere, await elsewhere('GET', `/login?access_token=${wallet.access_token}`));
  const create = (person: typeof again) => person.call('POST', `/devices/${ann.orgId}`, DEVICE);
  const answers = await Promise.all([create(ann), create(again), create(ann), create(again)]);
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  for (const { status, body } of answers)
    if (status === 409) t.equal(body.code, 'LIMIT_REACHED', JSON.stringify(body));
  t.equal(
    await world.store.count('devices', { orgId: ann.orgId, deleted: false }),
    LIMITS.devicesPerOrganization,
  );
  const { id } = answers.find(({ status }) => status === 201)!.body;
  await ann.call('PUT', `/devices/delete/${ann.orgId}/${id}`, { forced: false });
  t.equal((await create(again)).status, 201, 'there is room again');
});

t.test('devices being added by one process and by several count against the limit', async (t) => {
  const world = await createWorld(t);
  const { store, clock } = world;
  await fill(world, 'o', 2);
  const [here, there] = [
    new DeviceQuota({ store, clock, limit: 5 }),
    new DeviceQuota({ store, clock, limit: 5 }),
  ];
  const takes = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? here : there).take('o', `d${n}`));
  t.strictSame(await refusals(takes), { LIMIT_REACHED: 9 });
  t.strictSame(await refusals([there.take('another', 'e')]), {}, 'each organisation has its own');

  clock.advance(RESERVATION_GRACE_MS);
  const { taken } = (await store.get(QUOTAS_COLLECTION.name, 'o')) as unknown as {
    taken: { id: string }[];
  };
  const [slow] = taken;
  await commit(store, `device:${slow!.id}`, 0, { entity: { id: slow!.id } } as never);
  const later = Array.from({ length: 4 }, (_, n) => here.take('o', `later${n}`));
  t.strictSame(
    await refusals(later),
    { LIMIT_REACHED: 2 },
    'one is real and not readable yet, two were left behind',
  );

  await store.insertMissing('devices', [view('o', slow!.id)]);
  t.strictSame(await refusals([there.take('o', 'last')]), { LIMIT_REACHED: 1 }, 'counted once');
});

t.test('a device that waits for its commit is counted once', async (t) => {
  const { store, clock } = await createWorld(t);
  const quota = new DeviceQuota({ store, clock, limit: 2 });
  for (const id of ['a', 'b', 'b', 'a']) await quota.take('o', id);
  t.strictSame(await refusals([quota.take('o', 'c')]), { LIMIT_REACHED: 1 });
});

t.test('a store that fails is not the turn of those who wait', async (t) => {
  const { store, clock } = await createWorld(t);
  let calls = 0;
  const real = store.count.bind(store);
  // Mails and webhooks are counted at times of their own.
  store.count = (name, where) =>
    name === VIEWS.devices && ++calls === 1 ? Promise.reject(new OverloadedError('busy')) : real(name, where);
  const quota = new DeviceQuota({ store, clock });
  t.strictSame(await refusals([quota.take('o', 'a'), quota.take('o', 'b'), quota.take('o', 'c')]), {
    OVERLOADED: 1,
  });
});
