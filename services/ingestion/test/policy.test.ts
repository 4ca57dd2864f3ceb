import t from 'tap';
import { LIMITS, TOPICS } from '@sentinel-node/contracts';
import { fileEntity, newId, NOW, report, SEQUENCE, startWorld, until, type World } from './support.ts';

const status = async (world: World, fileId?: string): Promise<number> => {
  const answer = await world.send(report(), fileId === undefined ? {} : { fileId });
  return answer.statusCode;
};
const policies = async (world: World) =>
  (await world.records()).flatMap(({ header }) => ('policy' in header ? [header.policy.configVersion] : []));

t.test('monitoring that is switched off is refused at once, and on again taken at once', async (t) => {
  const world = await startWorld(t);
  t.equal(await status(world), 202);
  await world.change({ enabled: false });
  await until(async () => (await status(world)) === 409);
  await world.change({ enabled: true }, { published: false });
  t.equal(await status(world), 202, 'a refusal comes from the store, never from what is kept');
  t.equal((await policies(world)).at(-1), 3);
});

t.test('a file that was unknown is taken as soon as it is added', async (t) => {
  const world = await startWorld(t);
  const added = fileEntity({ path: 'new.log' });
  t.equal(await status(world, added.id), 404);
  t.equal(await status(world), 202);
  await world.change({ files: [...world.device.files, added] }, { published: false });
  t.equal(await status(world, added.id), 202);
});

t.test('a device that was unknown is let in as soon as it is there', async (t) => {
  const world = await startWorld(t);
  const first = world.device;
  const { path } = world.file;
  const next = { ...first, id: newId(), files: [fileEntity({ path })] };
  world.device = next;
  t.equal(await status(world), 401);
  await world.save(next, { published: false });
  t.equal(await status(world), 202);
});

t.test('news of the registry change the policy that reports are stamped with', async (t) => {
  const world = await startWorld(t);
  t.equal(await status(world), 202);
  await world.change({ category: 'MISSION_CRITICAL' });
  await until(async () => {
    await status(world);
    return (await policies(world)).at(-1) === 2;
  });
  await until(async () => (await world.configuration()).headers['etag'] === '"2"');
});

t.test('news of a device with 10,000 files come compressed, and are taken', async (t) => {
  const world = await startWorld(t);
  const others = Array.from({ length: LIMITS.filesPerDevice - 1 }, (_, n) =>
    fileEntity({ path: `conf/${n}.json` }),
  );
  t.equal(await status(world), 202);
  await world.change({ category: 'MISSION_CRITICAL', files: [world.file, ...others] });
  const newest = (await world.raw(TOPICS.registry)).at(-1)!;
  t.ok(newest.body.byteLength < 1_048_576, 'compressed');
  await until(async () => {
    await status(world);
    return (await policies(world)).at(-1) === 2;
  });
});

t.test('without news a device is read again after 30 s', async (t) => {
  const world = await startWorld(t);
  t.equal(await status(world), 202);
  await world.change({ category: 'ADVANCED' }, { lost: true });
  world.clock.advance(29_999);
  await world.tick();
  await status(world);
  t.equal((await policies(world)).at(-1), 1);
  world.clock.advance(1);
  await world.tick();
  await status(world);
  t.equal((await policies(world)).at(-1), 2);
});

t.test('late news of an older version change nothing', async (t) => {
  const world = await startWorld(t);
  await world.change({ category: 'ADVANCED' });
  t.equal(await status(world), 202);
  const [first] = await world.raw(TOPICS.registry);
  await world.eventLog.append(TOPICS.registry, [first!]);
  await world.change({ category: 'MISSION_CRITICAL' });
  await until(async () => {
    await status(world);
    return (await policies(world)).at(-1) === 3;
  });
  t.notOk((await policies(world)).includes(1));
});

t.test('an unreadable registry record empties what is kept', async (t) => {
  const world = await startWorld(t);
  t.equal(await status(world), 202);
  await world.change({ category: 'ADVANCED' }, { published: false });
  await world.eventLog.append(TOPICS.registry, [{ key: 'x', id: 'x', body: Buffer.from('{}') }]);
  await until(async () => {
    await status(world);
    return (await policies(world)).at(-1) === 2;
  });
});

t.test('a rotated key: the old one works until it ends, the new one at once', async (t) => {
  const world = await startWorld(t);
  const old = world.key();
  t.equal(await status(world), 202);
  const until24 = NOW + 24 * 3_600_000;
  await world.change(
    { keyVersion: 2, previousKey: { version: 1, validUntil: until24 } },
    { published: false },
  );
  const fresh = world.key();
  t.not(fresh, old);
  const send = async (key: string) => (await world.send(report({ sequence: SEQUENCE }), { key })).statusCode;
  t.equal(await send(fresh), 202);
  t.equal(await send(old), 202);
  world.clock.set(until24 - 1);
  t.equal(await send(old), 202);
  world.clock.set(until24);
  t.equal(await send(old), 401);
  t.equal(await send(fresh), 202);
});

t.test('a key that was rotated now ends at once', async (t) => {
  const world = await startWorld(t);
  const old = world.key();
  t.equal(await status(world), 202);
  await world.change({ keyVersion: 2 });
  await until(async () => (await world.send(report(), { key: old })).statusCode === 401);
  t.equal(await status(world), 202);
});
