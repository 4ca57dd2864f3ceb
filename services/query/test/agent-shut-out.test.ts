/** Tests that a device shows an agent with an ended key until the device makes contact with a valid key. */
import t from 'tap';
import { KEY_ENDED } from '@sentinel-node/contracts';
import { appendChain, appendHeartbeat, deviceNotice, heartbeat } from './chain-records.ts';
import { placeIn, type Place } from './place.ts';
import { openStream } from './sse-client.ts';
import { createWorld, eventually, without } from './world.ts';

const shared = await createWorld(t);

/** Returns the device as read alone, and as in the list. */
async function shown({ admin, orgId, deviceId }: Place) {
  const { body: device } = await admin.call('GET', `/devices/${orgId}/${deviceId}`);
  const { body: list } = await admin.call('GET', `/devices/${orgId}`);
  return { device, listed: list.devices[0] };
}

async function isRefused(here: Place, at: number): Promise<void> {
  const { world, orgId, deviceId } = here;
  await appendChain(world.eventLog, [deviceNotice({ orgId, deviceId }, at, KEY_ENDED)]);
  await eventually(async () => {
    const seen = await world.store.get('device_refusals', deviceId);
    return seen?.rev === at ? true : undefined;
  });
}

async function isHeard(here: Place, at: number): Promise<void> {
  const { world, orgId, deviceId } = here;
  await appendHeartbeat(world.eventLog, heartbeat({ orgId, deviceId }, at, []));
  await eventually(async () => {
    const seen = await world.store.get('device_activity', deviceId);
    return seen?.rev === at ? true : undefined;
  });
}

t.test('a refused key is shown, and is no contact', async (t) => {
  const here = await placeIn(shared);
  const began = here.world.clock.now();
  await isRefused(here, began);
  const keyRefusedAt = new Date(began).toISOString();
  const { device, listed } = await shown(here);
  t.match(device, { keyRefusedAt, lastContact: null });
  t.match(listed, { keyRefusedAt, lastContact: null });
});

t.test('it is gone with the next contact, and back with the next refusal', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId } = here;
  const stream = await openStream(t, world, admin, orgId);
  const began = world.clock.now();
  const told = (keyRefusedAt: string | undefined) =>
    stream.next(({ event, data }) => event === 'device' && data.keyRefusedAt === keyRefusedAt);
  for (const at of [began + 1, began + 3]) {
    await isRefused(here, at);
    await told(new Date(at).toISOString());
    const before = stream.frames.length;
    await isHeard(here, at + 1);
    const frame = await stream.next(
      (frame) =>
        stream.frames.indexOf(frame) >= before &&
        frame.event === 'device' &&
        frame.data.lastContact === new Date(at + 1).toISOString(),
    );
    t.notOk('keyRefusedAt' in frame.data);
    const { device, listed } = await shown(here);
    t.notOk('keyRefusedAt' in device);
    t.notOk('keyRefusedAt' in listed);
  }
});

t.test('a contact of the same moment counts, and a late notice of before changes nothing', async (t) => {
  const here = await placeIn(shared);
  const at = here.world.clock.now();
  await isHeard(here, at);
  await isRefused(here, at - 1);
  t.notOk('keyRefusedAt' in (await shown(here)).device);
  await isRefused(here, at);
  t.notOk('keyRefusedAt' in (await shown(here)).device);
  await isRefused(here, at + 1);
  t.ok('keyRefusedAt' in (await shown(here)).device, 'a later one counts');
});

t.test('a device that is saved as it was read is taken', async (t) => {
  const here = await placeIn(shared);
  const { admin, orgId, deviceId } = here;
  await isRefused(here, here.world.clock.now());
  const { device } = await shown(here);
  const { status } = await admin.call('PUT', `/devices/${orgId}/${deviceId}`, without(device, 'files'));
  t.equal(status, 200);
});
