// A person and a device of their own beside the load: the time from the 202 of a report until its event can be read.
import { setTimeout as delay } from 'node:timers/promises';
import { answerCalls } from './child.mjs';
import { get } from './requests-timed.mjs';
import { makeScene } from './scene.mjs';
import { PATIENCE_MS } from './settings.mjs';

/** Reports under way at the most: one a file. */
const FILES = 100;
const MS_PER_SECOND = 1_000;
/** Pause between two reads of an event that is not there yet, in milliseconds. */
const READ_AGAIN_MS = 5;

let scene;
let at;
let running = Promise.resolve();
let isOver = false;
/** Milliseconds from a 202 to a read with its event, and probes that were refused or not read in time, since they were taken last. */
let taken = { millis: [], failed: 0, firstFailure: undefined };

async function probe(file) {
  await scene.agent.report([file.next()]);
  const accepted = performance.now();
  const path = `/events/${scene.orgId}/${scene.deviceId}/${file.id}?limit=1`;
  for (const end = accepted + PATIENCE_MS; performance.now() < end; await delay(READ_AGAIN_MS)) {
    const { events } = JSON.parse(await get(at, scene.tokens[0], path));
    if (events[0] !== undefined && JSON.parse(events[0].note).to === file.length)
      return performance.now() - accepted;
  }
  throw new Error(`an event could not be read within ${PATIENCE_MS} ms`);
}

async function probeAtRate(rate) {
  const free = [...scene.files];
  const under = new Set();
  const began = performance.now();
  for (let n = 0; !isOver; n += 1) {
    await delay(Math.max(0, began + (n * MS_PER_SECOND) / rate - performance.now()));
    const file = free.shift();
    // Every file waits for its event: the next probe is due when one has it.
    if (file === undefined) continue;
    const one = probe(file)
      .then((ms) => taken.millis.push(ms))
      .catch((error) => {
        taken.failed += 1;
        taken.firstFailure ??= error.message;
      })
      .finally(() => {
        free.push(file);
        under.delete(one);
      });
    under.add(one);
  }
  await Promise.all(under);
}

answerCalls({
  open: async ({ url }) => {
    at = url;
    scene = await makeScene(url, { people: 1, files: FILES });
  },
  /** @param rate probes a second */
  start: ({ rate }) => {
    isOver = false;
    running = probeAtRate(rate);
  },
  /** @returns what came since the last call */
  take: () => {
    const result = taken;
    taken = { millis: [], failed: 0, firstFailure: undefined };
    return result;
  },
  end: async () => {
    isOver = true;
    await running;
  },
  stop: () => undefined,
});
