// Consoles that keep a live stream open, and the agent that causes their events, in one process, so that one clock times both.
import { setTimeout as delay } from 'node:timers/promises';
import { answerCalls } from './child.mjs';
import { Listener } from './listener.mjs';
import { causeEvents, lastLength, makeScene } from './scene.mjs';
import { POLL_MS, STREAM_PATIENCE_MS } from './settings.mjs';
import { percentile } from './statistics.mjs';
import { usage } from './usage.mjs';

/** Streams that are opened at a time. */
const OPENED_AT_ONCE = 20;
/** Files that the events are about, in turns. */
const FILES = 50;

let scene;
const consoles = [];
/** When a report was accepted, in milliseconds, by its length. */
const acceptedAt = new Map();
/** Milliseconds from the 202 to each console. */
let millis = [];

/** The length before the first report of a run, and which reports each console has heard of. */
let before = 0;
const heard = [];

/** An event that comes before its report's answer took no time. */
const onEvent = (listener) => (length, at) => {
  millis.push(Math.max(0, at - (acceptedAt.get(length) ?? at)));
  heard[listener][before - length - 1] = 1;
};

answerCalls({
  open: async ({ url, count, people }) => {
    scene = await makeScene(url, { people, files: FILES });
    for (let at = 0; at < count; at += OPENED_AT_ONCE) {
      const next = Array.from(
        { length: Math.min(OPENED_AT_ONCE, count - at) },
        (_, n) => new Listener(url, scene.tokens[(at + n) % people], scene.orgId, onEvent(at + n)),
      );
      await Promise.all(next.map(({ ready }) => ready));
      consoles.push(...next);
    }
  },
  /** Causes events and waits until every console has them all. */
  run: async ({ seconds, rate }) => {
    acceptedAt.clear();
    millis = [];
    for (const one of consoles) Object.assign(one, { events: 0, resyncs: 0, bytes: 0 });
    before = lastLength();
    const count = seconds * rate;
    consoles.forEach((_, n) => (heard[n] = new Uint8Array(count)));
    const onAccepted = (length) => acceptedAt.set(length, performance.now());
    await causeEvents(scene, { seconds, rate, onAccepted });
    const isWhole = () => consoles.every(({ events }) => events >= count);
    for (const end = performance.now() + STREAM_PATIENCE_MS; performance.now() < end && !isWhole();)
      await delay(POLL_MS);
    const sum = (field) => consoles.reduce((all, one) => all + one[field], 0);
    return {
      p50: percentile(millis, 0.5),
      p99: percentile(millis, 0.99),
      missed: heard.reduce((all, one) => all + one.filter((is) => is === 0).length, 0),
      resyncs: sum('resyncs'),
      delivered: sum('events'),
      bytes: sum('bytes'),
    };
  },
  usage,
  stop: () => consoles.forEach((one) => one.close()),
});
