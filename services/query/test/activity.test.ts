/** Tests the counts of events and alerts by hour: a kept count is not computed again on each read. */
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import type { DocumentStore } from '@sentinel-node/platform';
import { ActivityCounts } from '../src/dashboard/activity.ts';
import { idPrefixOf } from '../src/lists/page.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START = Date.parse('2026-11-21T10:00:00.000Z');
const SEED = 52;

/** Returns a store that counts ids in memory and records how many it read. */
function countingStore(ids: readonly string[]) {
  const looked = { ids: 0 };
  const store: Pick<DocumentStore, 'count'> = {
    count: async (_name, where) => {
      if (where === undefined) throw new Error('the counts are of a range of ids');
      const { gte, lt } = where['id'] as { gte: string; lt: string };
      const found = ids.filter((id) => id >= gte && id < lt).length;
      looked.ids += found;
      return found;
    },
  };
  return { store, looked };
}

t.test('the counts are those of all hours, whenever they are read', async (t) => {
  const age = fc.integer({ min: 0, max: 25 * HOUR_MS });
  const waits = fc.array(fc.integer({ min: 0, max: 2 * HOUR_MS }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(age), waits, async (ages, pauses) => {
      const times = ages.map((ms) => START - ms);
      const { store } = countingStore(times.map(idPrefixOf));
      const activity = new ActivityCounts(store);
      let now = START;
      for (const pause of pauses) {
        for (const hour of await activity.hours('org', now)) {
          const from = Date.parse(hour.start);
          const wanted = times.filter((ms) => ms >= from && ms < from + HOUR_MS).length;
          if (hour.events !== wanted || hour.alerts !== wanted)
            throw new Error(`${hour.start}: ${JSON.stringify(hour)}, not ${wanted}`);
        }
        now += pause;
      }
    }),
    { seed: SEED },
  );
  t.pass();
});

t.test('a busy hour is counted once, then its last minutes only', async (t) => {
  const now = START + 50 * MINUTE_MS;
  const ids = Array.from({ length: 3_000 }, (_, second) => idPrefixOf(START + second * 1_000));
  const { store, looked } = countingStore(ids);
  const activity = new ActivityCounts(store);
  const read = async (at: number) => {
    looked.ids = 0;
    const last = (await activity.hours('org', at)).at(-1);
    return { last, looked: looked.ids };
  };
  t.match(await read(now), { last: { events: 3_000, alerts: 3_000 }, looked: 6_000 });
  const again = await read(now + 1_000);
  t.match(again, { last: { events: 3_000, alerts: 3_000 } });
  t.ok(again.looked <= 2 * 120, `${again.looked} of two minutes at most`);
  t.equal((await read(now + 11 * MINUTE_MS)).looked, 6_000, 'after a while all of it again');
});

t.test('an hour that was counted while the views were behind is counted again soon', async (t) => {
  for (const behindMs of [12 * MINUTE_MS, 3 * HOUR_MS]) {
    const ids: string[] = [];
    const activity = new ActivityCounts(countingStore(ids).store);
    const read = async (at: number) =>
      (await activity.hours('org', at)).find(({ start }) => Date.parse(start) === START)?.events;
    const end = START + HOUR_MS;
    let at = end + 10 * MINUTE_MS;
    for (; at < end + behindMs; at += MINUTE_MS) t.equal(await read(at), 0);
    ids.push(...Array.from({ length: 100 }, (_, n) => idPrefixOf(START + n * 1_000)));
    while ((await read(at)) === 0 && at < end + 12 * HOUR_MS) at += MINUTE_MS;
    t.equal(await read(at), 100);
    t.ok(at - end - behindMs <= Math.min(behindMs, HOUR_MS), `${(at - end - behindMs) / MINUTE_MS} minutes`);
  }
});

t.test('an hour that is over is counted less and less often', async (t) => {
  const ids = Array.from({ length: 100 }, (_, n) => idPrefixOf(START + n * 1_000));
  const { store, looked } = countingStore(ids);
  const activity = new ActivityCounts(store);
  for (let at = START + HOUR_MS; at < START + 12 * HOUR_MS; at += MINUTE_MS) await activity.hours('org', at);
  const counts = looked.ids / 200;
  t.ok(counts <= 16, `counted ${counts} times in 11 hours`);
});

t.test('an hour is counted anew after the clock was set back', async (t) => {
  const ids: string[] = [];
  const activity = new ActivityCounts(countingStore(ids).store);
  const read = async (at: number) =>
    (await activity.hours('org', at)).find(({ start }) => Date.parse(start) === START)?.events;
  t.equal(await read(START + 2 * HOUR_MS), 0, 'as an hour that is over');
  ids.push(idPrefixOf(START + 10 * MINUTE_MS));
  t.equal(await read(START + 20 * MINUTE_MS), 1);
  t.equal(await read(START + 29 * MINUTE_MS), 1, 'of all but its last minutes once');
  ids.push(idPrefixOf(START + 25 * MINUTE_MS));
  t.equal(await read(START + 26 * MINUTE_MS), 2);
});

t.test('an organisation that reads the parts of many zones has no room of the others', async (t) => {
  const now = START + 50 * MINUTE_MS;
  const { store, looked } = countingStore([idPrefixOf(START - HOUR_MS)]);
  const activity = new ActivityCounts(store, 100);
  await activity.hours('quiet', now);
  for (let shift = 1; shift <= 20; shift++)
    await activity.counts(
      'loud',
      [0, 1, 2, 3, 4, 5, 6].map((n) => START - (7 - n) * HOUR_MS - shift),
      now,
    );
  looked.ids = 0;
  await activity.hours('quiet', now);
  t.equal(looked.ids, 0, 'the hours that are over are not counted again');
});
