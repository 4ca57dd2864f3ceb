import { onReturn } from './on-return.ts';
import { createSseParser, type ServerSentFrame } from './sse-parser.ts';

export type StreamState = 'connecting' | 'live' | 'stale';

export interface StreamOptions {
  url: string;
  token: string;
  onFrame: (frame: ServerSentFrame) => void;
  onState: (state: StreamState) => void;
  onUnauthorized: () => void;
}

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;
/** The server writes a comment every 15 s: three missed ones mean a dead connection. */
const SILENCE_MS = 45_000;
/** Silence after which a page to which the person returns gives its connection up: timers stand still while it sleeps. */
const DOUBT_MS = 20_000;

/** Returns the wait before a reconnection in ms, half of it random, so that not all consoles reconnect at once. */
export function retryDelay(attempt: number, random: number): number {
  const ceiling = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** attempt);
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/**
 * Reads a stream of server-sent events by fetch, because EventSource cannot send a header and a token has no place in
 * an address. Reconnects until closed, resuming with Last-Event-ID. Returns the function that closes it.
 */
export function openStream(options: StreamOptions): () => void {
  const closed = new AbortController();
  void run(options, closed.signal);
  return () => closed.abort();
}

async function run(options: StreamOptions, closed: AbortSignal): Promise<void> {
  let lastId: string | null = null;
  let attempt = 0;
  options.onState('connecting');
  while (!closed.aborted) {
    const outcome = await readOnce(options, closed, lastId, (id) => {
      lastId = id;
      attempt = 0;
    });
    if (closed.aborted) return;
    if (outcome === 'unauthorized') return options.onUnauthorized();
    options.onState('stale');
    await wait(retryDelay(attempt, Math.random()), closed);
    attempt = Math.min(attempt + 1, 10);
  }
}

async function readOnce(
  options: StreamOptions,
  closed: AbortSignal,
  lastId: string | null,
  onId: (id: string) => void,
): Promise<'ended' | 'unauthorized'> {
  const silence = new AbortController();
  const giveUp = (): void => silence.abort();
  let timer = setTimeout(giveUp, SILENCE_MS);
  let heardAt = Date.now();
  const stop = onReturn(() => {
    if (Date.now() - heardAt > DOUBT_MS) giveUp();
  });
  window.addEventListener('offline', giveUp);
  const headers: Record<string, string> = { accept: 'text/event-stream', 'x-access-token': options.token };
  if (lastId !== null) headers['last-event-id'] = lastId;
  try {
    const signal = AbortSignal.any([closed, silence.signal]);
    const response = await fetch(options.url, { headers, signal, cache: 'no-store' });
    if (response.status === 401) return 'unauthorized';
    if (!response.ok || response.body === null) return 'ended';
    // A resumed stream sends no `ready`: the missed frames come at once.
    if (lastId !== null) options.onState('live');
    const parse = createSseParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(giveUp, SILENCE_MS);
      heardAt = Date.now();
      for (const frame of parse(piece.value)) {
        if (frame.event === 'ready') options.onState('live');
        options.onFrame(frame);
        if (frame.id !== null) onId(frame.id);
      }
    }
    return 'ended';
  } catch {
    // Aborted, cut off or not an event stream: reconnect in every case.
    return 'ended';
  } finally {
    clearTimeout(timer);
    stop();
    window.removeEventListener('offline', giveUp);
  }
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
