/** Tests that processes find, together and after a restart, that the clock was ahead. */
import t, { type Test } from 'tap';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { ClockWatch, heardBy, readClockAhead, silentLog, type DocumentStore } from '../src/index.ts';
import { openEmbeddedDocumentStore, openDataFolder } from '../src/index.ts';

const NOW = Date.UTC(2026, 10, 21);
const DAY_MS = 86_400_000;

async function openStore(t: Test): Promise<DocumentStore> {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  return store;
}

async function watchOn(store: DocumentStore, clock: ManualClock) {
  let exchange = (): Promise<void> => Promise.resolve();
  let elapsed = 0;
  const watch = new ClockWatch({
    ...{ store, clock, log: silentLog(), elapsed: () => elapsed },
    timers: {
      every: (_, task) => {
        exchange = task;
        return { stop: () => Promise.resolve(), failed: new Promise(() => undefined) };
      },
    },
  });
  await watch.start();
  const revision = (): number => watch.revision(clock.now());
  const pass = (ms: number): void => {
    clock.advance(ms);
    elapsed += ms;
  };
  return { watch, exchange: () => exchange(), revision, pass };
}

t.test('a step back is found at once, and by others through the store', async (t) => {
  const store = await openStore(t);
  const clock = new ManualClock(NOW + 3 * DAY_MS);
  const one = await watchOn(store, clock);
  const highest = one.revision();
  t.equal(highest, NOW + 3 * DAY_MS);
  clock.set(NOW);
  const other = await watchOn(store, clock);
  t.ok(one.revision() > highest, 'revisions go on');
  t.ok(other.revision() > highest, 'also at a process that starts');
  await one.exchange();
  const ahead = (await readClockAhead(store))!;
  t.equal(ahead.since, NOW);
  t.equal(heardBy(highest, ahead), NOW);
  t.equal(heardBy(NOW - 1, ahead), NOW - 1);
  t.equal(heardBy(ahead.until + 1, ahead), ahead.until + 1);
});

t.test('revisions only rise, and are the time again once that has caught up', async (t) => {
  const store = await openStore(t);
  const clock = new ManualClock(NOW + 3 * DAY_MS);
  const { revision, pass, watch } = await watchOn(store, clock);
  let last = revision();
  clock.set(NOW);
  for (let minute = 0; minute < 3 * 24 * 60 + 10; minute++) {
    const next = revision();
    if (next <= last) t.fail(`${next} after ${last}`);
    last = next;
    pass(60_000);
  }
  t.equal(revision(), clock.now());
  t.equal(heardBy(NOW + 3 * DAY_MS, watch.ahead), NOW, 'what it stamped then stays of then');
});

t.test('clocks that differ by a minute, and a clock that was behind for a while', async (t) => {
  const store = await openStore(t);
  const [early, late] = [new ManualClock(NOW), new ManualClock(NOW + 60_000)];
  const [one, other] = [await watchOn(store, early), await watchOn(store, late)];
  other.revision();
  await other.exchange();
  await one.exchange();
  t.equal(one.revision(), NOW);
  t.equal(await readClockAhead(store), undefined);
  early.set(NOW - DAY_MS);
  one.revision();
  one.pass(60_000);
  early.set(NOW + 120_000);
  t.equal(one.revision(), NOW + 120_000);
  await one.exchange();
  t.equal(await readClockAhead(store), undefined, 'the times before were right');
});
