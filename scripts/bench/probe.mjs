// A person and a device of their own beside the load: the time from the 202 of a report to its event on an open console.
import { answerCalls } from './child.mjs';
import { Listener } from './listener.mjs';
import { pace } from './pace.mjs';
import { makeScene } from './scene.mjs';

const FILES = 100;

let scene;
let listener;
let running = Promise.resolve();
let isOver = false;
/** When reports were accepted whose events have not come yet, in milliseconds, by length. */
const waiting = new Map();
/** When events came before the answer of their report. */
const early = new Set();
/** Milliseconds from a 202 to its event, and refused reports, since they were taken last. */
let taken = { millis: [], failed: 0, firstFailure: undefined };

function onEvent(length, at) {
  const accepted = waiting.get(length);
  if (accepted === undefined) return void early.add(length);
  waiting.delete(length);
  taken.millis.push(at - accepted);
}

function onAccepted(length) {
  if (early.delete(length)) taken.millis.push(0);
  else waiting.set(length, performance.now());
}

async function listen(url) {
  listener = new Listener(url, scene.tokens[0], scene.orgId, onEvent);
  await listener.ready;
}

async function probeAtRate(rate) {
  const sent = [];
  for await (const n of pace(rate)) {
    if (isOver) break;
    const file = scene.files[n % scene.files.length];
    const report = file.next();
    const { length } = file;
    sent.push(
      scene.agent.report([report]).then(
        () => onAccepted(length),
        (error) => {
          taken.failed += 1;
          taken.firstFailure ??= error.message;
        },
      ),
    );
  }
  await Promise.all(sent);
}

answerCalls({
  open: async ({ url }) => {
    scene = await makeScene(url, { people: 1, files: FILES });
    await listen(url);
  },
  /** Goes on with the same organisation after the server was killed. */
  reopen: async ({ url }) => {
    waiting.clear();
    early.clear();
    scene.agent = scene.agent.at(url);
    await listen(url);
  },
  close: () => listener.close(),
  /** @param rate probes a second */
  start: ({ rate }) => {
    isOver = false;
    running = probeAtRate(rate);
  },
  /** @returns what came since the last call; `waiting`: accepted reports whose events have not come, `oldest`: ms since the first of them */
  take: () => {
    const [oldest] = waiting.values();
    const result = {
      ...taken,
      waiting: waiting.size,
      oldest: oldest === undefined ? 0 : performance.now() - oldest,
    };
    taken = { millis: [], failed: 0, firstFailure: undefined };
    return result;
  },
  end: async () => {
    isOver = true;
    await running;
  },
  stop: () => listener.close(),
});
