// The senders of a benchmark, in a process of their own. Every connection waits for the answer before it sends again.
import { setTimeout as delay } from 'node:timers/promises';
import { answerCalls } from './child.mjs';
import { Connection } from './connection.mjs';
import { liveBodies, readyRequests } from './requests.mjs';
import { usage } from './usage.mjs';

const MS_PER_SECOND = 1_000;
const BUSY = 503;

let senders = [];
/** Reports answered with 202, requests that were to come again, and requests that were answered otherwise. */
const counts = { accepted: 0, requests: 0, postponed: 0, failed: 0, firstFailure: undefined };
let gate = Promise.resolve();
let open = () => {};

/** Requests from `from` (ms) on: `count` so far, at most `perSecond`. Absent: as many as are answered. */
let pace;

/** Waits until the next request is due. A server that was slow for a moment gets the requests that it missed. */
async function due() {
  if (pace === undefined) return;
  const at = pace.from + (pace.count++ / pace.perSecond) * MS_PER_SECOND;
  await delay(Math.max(0, at - performance.now()));
}

/** @param {{next: () => {request: Buffer, reports: number} | undefined, connection: Connection}} sender */
async function sendUntil(isOver, { next, connection }) {
  for (;;) {
    await gate;
    await due();
    if (isOver()) return;
    const given = next();
    if (given === undefined) return;
    const { status, body } = await sendUntilTaken(connection, given.request);
    counts.requests += 1;
    if (status === 202 && accepts(given.reports, body)) counts.accepted += given.reports;
    else {
      counts.failed += 1;
      counts.firstFailure ??= `${status} ${body.slice(0, 300)}`;
    }
  }
}

/** Sends again what the server was too busy for, after the time that it said, as an agent does. */
async function sendUntilTaken(connection, request) {
  for (;;) {
    const answer = await connection.send(request);
    if (answer.status !== BUSY) return answer;
    counts.postponed += 1;
    await delay(answer.retryAfterSeconds * MS_PER_SECOND);
  }
}

/** A bulk answer that accepts fewer lines than were sent fails the run. */
const accepts = (reports, body) => reports === 1 || body.startsWith(`{"accepted":${reports},`);

function connect({ urls, bodies, connections }) {
  for (const { connection } of senders) connection.close();
  const url = new URL(urls);
  senders = bodies.map((next) => ({ next, connection: new Connection(url) }));
  if (senders.length !== connections) throw new Error('a sender without a body');
}

let running;
let over = false;

answerCalls({
  /** Requests made beforehand and sent repeatedly: their content does not matter to ingestion. */
  ready: ({ url, ...options }) => {
    connect({ urls: url, bodies: readyRequests(url, options), connections: options.connections });
  },
  /** Sends each file's reports in order, as an agent does. */
  live: ({ url, ...options }) => {
    connect({ urls: url, bodies: liveBodies(url, options), connections: options.connections });
  },
  /** Sends for some seconds, then returns the number of accepted reports and the time. */
  run: async ({ seconds }) => {
    const before = { ...counts, at: performance.now() };
    const end = before.at + seconds * 1_000;
    await Promise.all(senders.map((sender) => sendUntil(() => performance.now() >= end, sender)));
    return {
      reports: counts.accepted - before.accepted,
      requests: counts.requests - before.requests,
      failed: counts.failed - before.failed,
      firstFailure: counts.firstFailure,
      seconds: (performance.now() - before.at) / 1_000,
    };
  },
  /** @param requestsPerSecond of all connections together; absent: as many as are answered */
  start: ({ requestsPerSecond }) => {
    over = false;
    Object.assign(counts, { accepted: 0, requests: 0, postponed: 0, failed: 0, firstFailure: undefined });
    pace =
      requestsPerSecond === undefined
        ? undefined
        : { from: performance.now(), count: 0, perSecond: requestsPerSecond };
    running = Promise.all(senders.map((sender) => sendUntil(() => over, sender)));
    running.catch((error) => process.stderr.write(`a sender failed: ${error.message}\n`));
  },
  pause: () => {
    gate = new Promise((resolve) => (open = resolve));
  },
  resume: () => open(),
  counts: () => counts,
  end: async () => {
    over = true;
    open();
    await running;
    return counts;
  },
  usage,
  stop: () => senders.forEach(({ connection }) => connection.close()),
});
