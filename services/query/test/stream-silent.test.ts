/** While the log does not answer the tail of the feed, no stream is left open that shows nothing new. */
import t from 'tap';
import type { EventLog } from '@sentinel-node/platform';
import { EMBEDDED_TOPICS, openDataFolder, openEmbeddedEventLog } from '@sentinel-node/platform';
import { openStream } from './sse-client.ts';
import { createWorld, eventually } from './world.ts';

t.test('streams end, and are refused, while the feed cannot be followed', async (t) => {
  const folder = openDataFolder(t.testdir());
  const log = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  t.teardown(async () => {
    await log.close();
    folder.release();
  });
  let isFollowing = true;
  const eventLog: EventLog = new Proxy(log, {
    get: (target, name) => {
      if (name === 'tail')
        return async (...args: Parameters<EventLog['tail']>) => {
          const tail = await target.tail(...args);
          return { failed: tail.failed, stop: () => tail.stop(), isFollowing: () => isFollowing };
        };
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const world = await createWorld(t, {}, { eventLog });
  const admin = await world.organization('Acme', 'ada@acme.example');
  const open = () => openStream(t, world, admin, admin.orgId);
  const stream = await open();
  await stream.next(({ event }) => event === 'ready');
  t.strictSame(world.query.notReady(), []);
  isFollowing = false;
  t.strictSame(world.query.notReady(), ['live updates']);
  await eventually(async () => (stream.isEnded() ? true : undefined));
  t.equal((await open()).status, 503);
  isFollowing = true;
  const again = await open();
  t.equal(again.status, 200);
  await again.next(({ event }) => event === 'ready');
  t.strictSame(world.query.notReady(), []);
});
