import { setTimeout as delay } from 'node:timers/promises';

const MS_PER_SECOND = 1_000;

/** Yields 0, 1, 2 … `perSecond` times a second, without an end; who was late gets the missed ones at once. */
export async function* pace(perSecond) {
  const began = performance.now();
  for (let n = 0; ; n += 1) {
    await delay(Math.max(0, began + (n * MS_PER_SECOND) / perSecond - performance.now()));
    yield n;
  }
}
