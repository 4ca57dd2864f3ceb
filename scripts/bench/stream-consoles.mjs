// Consoles that keep a live stream open, and the agent that causes their events, in one process, so that one clock times both.
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerCalls } from './child.mjs';
import { makeScene } from './scene.mjs';
import { POLL_MS, STREAM_PATIENCE_MS } from './settings.mjs';
import { percentile } from './statistics.mjs';
import { usage } from './usage.mjs';

const MS_PER_SECOND = 1_000;
/** Streams that are opened at a time. */
const OPENED_AT_ONCE = 20;
/** Files that the events are about, in turns. */
const FILES = 50;
/** The note of an event names the new length, which names its report. */
const NOTE = String.raw`\"to\":`;
/** The start of a stream's first frame, and of the frame after something was missed. */
const READY = 'event: ready\n';
const RESYNC = 'event: resync\n';

let scene;
const consoles = [];
/** When a report was accepted, in milliseconds, by its length. */
const acceptedAt = new Map();

/** One stream over HTTP/1.1; a full client would cost more than the measured server. */
class Console {
  events = 0;
  resyncs = 0;
  bytes = 0;
  millis = [];
  #rest = '';
  #socket;

  constructor(url, token, orgId) {
    const { hostname, port, host } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.write(
      `GET /api/v1/stream/${orgId} HTTP/1.1\r\nhost: ${host}\r\nx-access-token: ${token}\r\n\r\n`,
    );
    this.ready = new Promise((resolve, reject) => {
      this.#socket.on('data', (chunk) => this.#take(chunk, resolve));
      this.#socket.on('error', reject);
      this.#socket.on('close', () => reject(new Error(`a stream ended: ${this.#rest.slice(0, 300)}`)));
    });
  }

  close() {
    this.#socket.destroy();
  }

  #take(chunk, onReady) {
    const at = performance.now();
    this.bytes += chunk.length;
    const text = this.#rest + chunk.latin1Slice();
    // Frames end with an empty line; whatever follows the last one waits for the next chunk.
    const end = text.lastIndexOf('\n\n');
    this.#rest = text.slice(end === -1 ? 0 : end + 2);
    const whole = text.slice(0, end === -1 ? 0 : end + 2);
    if (whole.includes(READY)) onReady();
    if (whole.includes(RESYNC)) this.resyncs += 1;
    for (let from = whole.indexOf(NOTE); from !== -1; from = whole.indexOf(NOTE, from + 1)) {
      this.events += 1;
      const sent = acceptedAt.get(parseInt(whole.slice(from + NOTE.length, from + NOTE.length + 12), 10));
      // An event that comes before its report's answer took no time.
      this.millis.push(Math.max(0, at - (sent ?? at)));
    }
  }
}

answerCalls({
  open: async ({ url, count, people }) => {
    scene = await makeScene(url, { people, files: FILES });
    for (let at = 0; at < count; at += OPENED_AT_ONCE) {
      const next = Array.from(
        { length: Math.min(OPENED_AT_ONCE, count - at) },
        (_, n) => new Console(url, scene.tokens[(at + n) % people], scene.orgId),
      );
      await Promise.all(next.map(({ ready }) => ready));
      consoles.push(...next);
    }
  },
  /** Causes an event every 1/rate seconds, whether earlier reports are answered or not, and waits for the consoles. */
  run: async ({ seconds, rate }) => {
    acceptedAt.clear();
    for (const one of consoles) Object.assign(one, { events: 0, resyncs: 0, bytes: 0, millis: [] });
    const count = seconds * rate;
    const began = performance.now();
    const sent = [];
    for (let n = 0; n < count; n += 1) {
      await delay(Math.max(0, began + (n * MS_PER_SECOND) / rate - performance.now()));
      const file = scene.files[n % scene.files.length];
      const report = file.next();
      const { length } = file;
      sent.push(scene.agent.report([report]).then(() => acceptedAt.set(length, performance.now())));
    }
    await Promise.all(sent);
    const isWhole = () => consoles.every(({ events }) => events >= count);
    for (const end = performance.now() + STREAM_PATIENCE_MS; performance.now() < end && !isWhole();)
      await delay(POLL_MS);
    const millis = consoles.flatMap((one) => one.millis);
    const sum = (field) => consoles.reduce((all, one) => all + one[field], 0);
    return {
      p50: percentile(millis, 0.5),
      p99: percentile(millis, 0.99),
      missed: consoles.length * count - sum('events'),
      resyncs: sum('resyncs'),
      delivered: sum('events'),
      bytes: sum('bytes'),
    };
  },
  usage,
  stop: () => consoles.forEach((one) => one.close()),
});
