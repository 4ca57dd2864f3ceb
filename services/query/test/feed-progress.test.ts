/** Tests that a read of kept data waits until every record so far was delivered. */
import { systemTimers, type EventLog, type Timers } from '@sentinel-node/platform';
import { partitionOf } from '@sentinel-node/contracts';
import t from 'tap';
import { FeedProgress } from '../src/stream/feed-progress.ts';
import { uuid } from './chain-records.ts';

const ORG = uuid(1);
const PARTITIONS = 4;
const HERE = partitionOf(ORG, PARTITIONS);

/** Returns a feed that knows only its ends. */
function feedOf(ends: number[]) {
  let asked = 0;
  const bounds: EventLog['bounds'] = async () => {
    asked++;
    return ends.map((end, partition) => ({ partition, start: 0, end }));
  };
  return { bounds, asked: () => asked };
}

async function progressOf(ends: number[], timers: Pick<Timers, 'delay'> = systemTimers) {
  const feed = feedOf(ends);
  // Only the ends of the log are read.
  const progress = new FeedProgress(feed as unknown as EventLog, timers);
  await progress.begin();
  return { progress, asked: feed.asked };
}

t.test('it waits for the records of its partition that there were when it was asked', async (t) => {
  const ends = Array.from({ length: PARTITIONS }, () => 5);
  const { progress } = await progressOf(ends);
  t.equal(await progress.catchUp(ORG), true, 'nothing came');
  ends[HERE] = 7;
  ends[(HERE + 1) % PARTITIONS] = 100;
  let isDone = false;
  const caughtUp = progress.catchUp(ORG).then((found) => {
    isDone = true;
    return found;
  });
  t.equal(progress.advance(HERE, 5), true);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(isDone, false, 'one is missing');
  t.equal(progress.advance(HERE, 6), true);
  t.equal(await caughtUp, true);
  t.equal(progress.advance(HERE, 9), false, 'two were left out');
});

t.test('it gives up when the records do not come in time, or the log does not answer', async (t) => {
  const ends = Array.from({ length: PARTITIONS }, () => 5);
  const { progress } = await progressOf(ends, { delay: async () => undefined });
  ends[HERE] = 6;
  t.equal(await progress.catchUp(ORG), false);
});

t.test('those who ask together share a question', async (t) => {
  const { progress, asked } = await progressOf(Array.from({ length: PARTITIONS }, () => 5));
  const before = asked();
  t.same(
    new Set(await Promise.all(Array.from({ length: 50 }, () => progress.catchUp(ORG)))),
    new Set([true]),
  );
  t.ok(asked() - before <= 2, `${asked() - before} questions`);
});
