import t from 'tap';
import { systemClock, systemRandom, systemTimers } from '../src/index.ts';

t.test('runs do not overlap, and stop waits for the one under way', async (t) => {
  let [running, most, runs] = [0, 0, 0];
  let finish: () => void = () => undefined;
  const third = new Promise<void>((resolve) => (finish = resolve));
  const repeating = systemTimers.every(1, async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (++runs === 3) finish();
  });
  // A waiting repetition does not keep the process alive; this timer does.
  const alive = setTimeout(() => undefined, 10_000);
  await third;
  await repeating.stop();
  clearTimeout(alive);
  t.equal(most, 1);
  t.equal(running, 0);
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
