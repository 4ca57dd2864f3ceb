import t from 'tap';
import { systemClock, systemRandom, systemTimers } from '../src/index.ts';

/** Several intervals of the repetition, in ms. */
const SEVERAL_MS = 20;

t.test('runs do not overlap, and stop waits for the one under way', async (t) => {
  let [running, most, runs] = [0, 0, 0];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let begin: () => void = () => undefined;
  const second = new Promise<void>((resolve) => (begin = resolve));
  const repeating = systemTimers.every(1, async () => {
    most = Math.max(most, ++running);
    if (++runs === 2) {
      begin();
      await held;
    }
    running--;
  });
  // A waiting repetition does not keep the process alive; this timer does.
  const alive = setTimeout(() => undefined, 10_000);
  await second;
  await systemTimers.delay(SEVERAL_MS);
  t.equal(most, 1, 'the second run is held, and no third began');
  let stopped = false;
  const stopping = repeating.stop().then(() => (stopped = true));
  await systemTimers.delay(SEVERAL_MS);
  t.notOk(stopped, 'stop waits for the run');
  release();
  await stopping;
  clearTimeout(alive);
  t.equal(running, 0);
  await systemTimers.delay(SEVERAL_MS);
  t.equal(runs, 2, 'none follows');
});

t.test('a task that throws ends the repetition and tells', async (t) => {
  const repeating = systemTimers.every(0, () => Promise.reject(new Error('broken')));
  const alive = setTimeout(() => undefined, 10_000);
  await t.rejects(repeating.failed, { message: 'broken' });
  clearTimeout(alive);
  await repeating.stop();
});

t.test('clock and randomness of the system', async (t) => {
  t.ok(Math.abs(systemClock.now() - Date.now()) < 1_000);
  t.equal(systemRandom.bytes(16).length, 16);
  t.notSame(systemRandom.bytes(16), systemRandom.bytes(16));
});
