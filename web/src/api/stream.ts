import { isHidden, onHidden, onReturn } from './on-return.ts';
import { createSseParser, type ServerSentFrame } from './sse-parser.ts';

export type StreamState = 'connecting' | 'live' | 'stale';

export interface StreamOptions {
  url: string;
  token: string;
  onFrame: (frame: ServerSentFrame) => void;
  /** @param heardAt when the server was last heard, in ms since 1970; what was read before is at least as old */
  onState: (state: StreamState, heardAt: number) => void;
  onUnauthorized: () => void;
}

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;
/** The server writes a comment every 15 s: three missed ones mean a dead connection. */
const SILENCE_MS = 45_000;
/** Silence after which a page to which the person returns gives its connection up: timers stand still while it sleeps. */
const DOUBT_MS = 20_000;
/** Wait for the connection of a page that is seen again, in ms; then the page says that it may be out of date. */
const SEEN_AGAIN_MS = 1_500;

/** Returns the wait before a reconnection in ms, half of it random, so that not all consoles reconnect at once. */
export function retryDelay(attempt: number, random: number): number {
  const ceiling = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** attempt);
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/**
 * Reads a stream of server-sent events by fetch, because EventSource cannot send a header and a token has no place in
 * an address. Reconnects until closed, resuming with Last-Event-ID. Returns the function that closes it.
 *
 * A page that nobody sees holds no connection: by HTTP/1.1 a browser opens only six to a server for all tabs together,
 * so a seventh tab could not even load. https://developer.mozilla.org/en-US/docs/Web/API/EventSource
 */
export function openStream(options: StreamOptions): () => void {
  const closed = new AbortController();
  void run(options, closed.signal);
  return () => closed.abort();
}

/** The state of the stream over all its connections. */
interface Course {
  lastId: string | null;
  attempt: number;
  heardAt: number;
  say: (state: StreamState) => void;
}

async function run(options: StreamOptions, closed: AbortSignal): Promise<void> {
  let overdue: ReturnType<typeof setTimeout> | undefined;
  const course: Course = {
    lastId: null,
    attempt: 0,
    heardAt: Date.now(),
    say: (state) => {
      clearTimeout(overdue);
      if (!closed.aborted) options.onState(state, course.heardAt);
    },
  };
  course.say('connecting');
  while (!closed.aborted) {
    if (isHidden()) {
      course.say('connecting');
      await untilSeen(closed);
      overdue = setTimeout(() => course.say('stale'), SEEN_AGAIN_MS);
    }
    const outcome = await readOnce(options, closed, course);
    if (closed.aborted) break;
    if (outcome === 'unauthorized') {
      clearTimeout(overdue);
      return options.onUnauthorized();
    }
    if (isHidden()) continue;
    course.say('stale');
    await wait(retryDelay(course.attempt, Math.random()), closed);
    course.attempt = Math.min(course.attempt + 1, 10);
  }
  clearTimeout(overdue);
}

async function readOnce(
  options: StreamOptions,
  closed: AbortSignal,
  course: Course,
): Promise<'ended' | 'unauthorized'> {
  const gone = new AbortController();
  const giveUp = (): void => gone.abort();
  let timer = setTimeout(giveUp, SILENCE_MS);
  let heardAt = Date.now();
  const stop = onReturn(() => {
    if (Date.now() - heardAt > DOUBT_MS) giveUp();
  });
  const stopHiding = onHidden(giveUp);
  window.addEventListener('offline', giveUp);
  const headers: Record<string, string> = { accept: 'text/event-stream', 'x-access-token': options.token };
  if (course.lastId !== null) headers['last-event-id'] = course.lastId;
  const hear = (): void => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, SILENCE_MS);
    heardAt = Date.now();
    course.heardAt = heardAt;
  };
  try {
    const signal = AbortSignal.any([closed, gone.signal]);
    const response = await fetch(options.url, { headers, signal, cache: 'no-store' });
    if (response.status === 401) return 'unauthorized';
    if (!response.ok || response.body === null) return 'ended';
    await readFrames(response.body, options, course, hear);
    return 'ended';
  } catch {
    // Aborted, cut off or not an event stream: reconnect in every case.
    return 'ended';
  } finally {
    clearTimeout(timer);
    stop();
    stopHiding();
    window.removeEventListener('offline', giveUp);
  }
}

/**
 * Reads frames until the stream ends, and says `live` once the page has heard everything up to now: a frame with an id is
 * `ready`, `resync` or the last one that a resumed stream missed. A comment in its place says that it missed nothing.
 */
async function readFrames(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  options: StreamOptions,
  course: Course,
  hear: () => void,
): Promise<void> {
  let isLive = false;
  let isFirstOfResumed = course.lastId !== null;
  const parse = createSseParser();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    hear();
    let isTold = isFirstOfResumed && piece.value.startsWith(':');
    isFirstOfResumed = false;
    for (const frame of parse(piece.value)) {
      options.onFrame(frame);
      if (frame.id === null) continue;
      course.lastId = frame.id;
      course.attempt = 0;
      isTold = true;
    }
    if (isLive || !isTold) continue;
    isLive = true;
    course.say('live');
  }
}

/** Waits while nobody sees the page. */
function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      if (isHidden() && !signal.aborted) return;
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = onReturn(end);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** Waits, less when the network is back or the person returns to the page. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    const stop = onReturn(end);
    signal.addEventListener('abort', end, { once: true });
  });
}
