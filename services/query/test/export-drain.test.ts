/**
 * Tests that a client that reads its export too slowly is cut off, and that a slow store is not held against the
 * client.
 */
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { DrainWatch } from '../src/exports/drain-watch.ts';
import { EXPORT_LIMITS } from '../src/exports/gate.ts';
import { textStream } from '../src/exports/index.ts';
import { eventually } from './world.ts';

const LIMITS = { leastBytesPerSecond: 1_000, windowMs: 10_000 };
const LEAST = { leastBytesPerSecond: 8_192 };

function watched() {
  const found = { slow: 0 };
  return { found, watch: new DrainWatch(LIMITS, () => found.slow++) };
}

t.test('less than the least rate over a window of waiting is slow, once', async (t) => {
  const { found, watch } = watched();
  for (let second = 0; second < 10; second++) {
    watch.offered(second * 1_000);
    watch.taken(999, (second + 1) * 1_000);
    t.equal(found.slow, second === 9 ? 1 : 0);
  }
  watch.offered(10_000);
  watch.look(60_000);
  t.equal(found.slow, 1);
});

t.test('the least rate is enough, for ever', async (t) => {
  const { found, watch } = watched();
  for (let second = 0; second < 100; second++) {
    watch.offered(second * 1_000);
    watch.look(second * 1_000 + 500);
    watch.taken(1_000, (second + 1) * 1_000);
  }
  t.equal(found.slow, 0);
});

t.test('nothing taken at all is found by a look', async (t) => {
  const { found, watch } = watched();
  watch.offered(0);
  watch.look(9_999);
  t.equal(found.slow, 0);
  watch.look(10_000);
  t.equal(found.slow, 1);
});

t.test('time in which nothing waited for the client does not count', async (t) => {
  const { found, watch } = watched();
  for (let hour = 0; hour < 5; hour++) {
    watch.look(hour * 3_600_000);
    watch.offered(hour * 3_600_000);
    watch.taken(1, hour * 3_600_000 + 1_000);
  }
  watch.look(5 * 3_600_000);
  t.equal(found.slow, 0);
});

/** Serves an export without end; sets `slow` when the watch finds the client slow. */
async function serve(t: Test, limits: typeof LIMITS) {
  const found = { slow: false, pieces: 0 };
  const server = createServer((_, response) => {
    const watch = new DrainWatch(limits, () => {
      found.slow = true;
      response.destroy();
    });
    const looking = setInterval(() => watch.look(performance.now()), 20);
    const pages = async function* () {
      for (; ; found.pieces++) yield 'ä'.repeat(100_000);
    };
    textStream(pages(), watch)
      .once('close', () => clearInterval(looking))
      .pipe(response)
      .once('close', () => clearInterval(looking));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const answer = await new Promise<IncomingMessage>((resolve) => get({ port, host: '127.0.0.1' }, resolve));
  answer.on('error', () => undefined);
  t.teardown(() => answer.destroy());
  return { found, answer };
}

t.test('a connection that is not read is ended, one that is read goes on', async (t) => {
  const slow = await serve(t, { ...LEAST, windowMs: 300 });
  slow.answer.pause();
  await eventually(async () => (slow.found.slow ? true : undefined));

  // A machine that does much else reads nothing for longer than a short window.
  const quick = await serve(t, { ...LEAST, windowMs: EXPORT_LIMITS.windowMs });
  let bytes = 0;
  let text = '';
  quick.answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (text.length < 1_000) text += chunk.toString();
  });
  await eventually(async () => (bytes > 20_000_000 ? true : undefined));
  t.notOk(quick.found.slow);
  t.match(text.slice(0, 500), /^ä+$/);
});
