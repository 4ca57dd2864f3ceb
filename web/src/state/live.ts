import { FEED_KINDS, VIEWS_FRAME } from '@sentinel-node/contracts';
import { atom, getDefaultStore } from 'jotai';
import { isHidden } from '../api/on-return.ts';
import { openStream, type StreamState } from '../api/stream.ts';
import type { ServerSentFrame } from '../api/sse-parser.ts';
import { isOneOf, isRecord } from '../narrow.ts';
import { announcements } from './announced.ts';
import { hearViews } from './views-age.ts';

export interface Live {
  /** State of the connection: data may be old while it is `live`. */
  state: StreamState;
  /** Rises when all data must be read again, after a new connection or a `resync`. */
  generation: number;
  /** Whether pages may load: the stream is ready, or missed its deadline. */
  open: boolean;
  /** When the server was last heard while everything shown was current, in ms since 1970. */
  heardAt: number;
  /** Whether the page says that it may be out of date, as long as it may. */
  isTold: boolean;
}

export interface LiveItem {
  kind: string;
  data: Record<string, unknown>;
}

type Listener = (item: LiveItem) => void;

/** Longest wait of a page for the stream, in ms; then it loads, marked as not live. */
const READY_DEADLINE_MS = 2_500;
/** Longest time in which everything shown is read again, in ms; then the page says that it may be out of date. */
const READ_AGAIN_MS = 1_500;
/** Most objects whose last `rev` is remembered. */
const REVS_MAX = 10_000;

const idle: Live = { state: 'connecting', generation: 0, open: false, heardAt: 0, isTold: false };
export const liveAtom = atom<Live>(idle);

/** Generation in which each shown resource was read. */
export const shownGenerations = announcements<number>();

const isCurrentAtom = atom((get) => {
  const { state, generation } = get(liveAtom);
  return state === 'live' && get(shownGenerations.atom).every((shown) => shown === generation);
});

/**
 * Since when what is shown may be out of date, in ms since 1970: the connection is lost, or something was not read since it
 * is back. Null while all is current, and for the moment that a return to the page or a new read takes.
 */
export const staleSinceAtom = atom((get) => {
  const { heardAt, isTold } = get(liveAtom);
  return isTold && !get(isCurrentAtom) ? heardAt : null;
});

const listeners = new Set<Listener>();

export function onLiveItem(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const update = (change: (live: Live) => Live): void => getDefaultStore().set(liveAtom, change);
const isCurrent = (): boolean => getDefaultStore().get(isCurrentAtom);

/** Follows an organisation's stream until the returned function is called. */
export function startLive(url: string, token: string, onUnauthorized: () => void): () => void {
  const revs = new Map<string, number>();
  update(() => idle);
  // A page that opens behind another waits for no stream: there is none before somebody sees it.
  const deadline = setTimeout(
    () => update((live) => (live.open ? live : loadWithoutStream(live))),
    isHidden() ? 0 : READY_DEADLINE_MS,
  );
  const close = openStream({
    url,
    token,
    onUnauthorized,
    onState: (state, heardAt) => update((live) => withState(live, state, heardAt)),
    onFrame: (frame) => handle(frame, revs),
  });
  return () => {
    clearTimeout(deadline);
    close();
    if (unknownRead.later !== null) clearTimeout(unknownRead.later);
    unknownRead = { at: 0, later: null };
    update(() => idle);
  };
}

function withState(live: Live, state: StreamState, heardAt: number): Live {
  if (state === 'live') return { ...live, state };
  // What was not current before is not so now because the server was heard.
  const isFirst = live === idle || isCurrent();
  return { ...live, state, isTold: state === 'stale', heardAt: isFirst ? heardAt : live.heardAt };
}

function reloadAll(live: Live): Live {
  const next = { ...live, open: true, generation: live.generation + 1 };
  return isCurrent() ? { ...next, isTold: false, heardAt: Date.now() } : next;
}

const loadWithoutStream = (live: Live): Live =>
  isHidden() ? reloadAll(live) : { ...reloadAll(live), state: 'stale', isTold: true };

/** Has everything read again, and says so when that takes long. */
function readAgain(): void {
  update(reloadAll);
  const { generation } = getDefaultStore().get(liveAtom);
  const tell = (live: Live): Live => (live.generation === generation ? { ...live, isTold: true } : live);
  setTimeout(() => update(tell), READ_AGAIN_MS);
}

/** Least time between two reads for frames of unknown kinds, in ms: all that is shown is read each time. */
const UNKNOWN_READ_MS = 30_000;
let unknownRead: { at: number; later: ReturnType<typeof setTimeout> | null } = { at: 0, later: null };

/** A frame of a later server tells of a change that only a new read can show. */
function hearUnknown(data: unknown): void {
  if (data === null || unknownRead.later !== null) return;
  const wait = Math.max(0, unknownRead.at + UNKNOWN_READ_MS - Date.now());
  const later = setTimeout(() => {
    unknownRead = { at: Date.now(), later: null };
    readAgain();
  }, wait);
  unknownRead = { ...unknownRead, later };
}

function handle(frame: ServerSentFrame, revs: Map<string, number>): void {
  if (frame.event === 'ready' || frame.event === 'resync') {
    revs.clear();
    return readAgain();
  }
  const data = objectOf(frame.data);
  if (frame.event === VIEWS_FRAME) return hearViews(data);
  if (!isOneOf(FEED_KINDS, frame.event)) return hearUnknown(data);
  if (data === null || isOld(frame.event, data, revs)) return;
  for (const listener of listeners) listener({ kind: frame.event, data });
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    // A frame without JSON comes from an intermediary, not from the server.
    return null;
  }
}

function isOld(kind: string, data: Readonly<Record<string, unknown>>, revs: Map<string, number>): boolean {
  const { id, rev } = data;
  // The `rev` of a summary is the time of the process that counted, and the next connection can be to one whose clock is behind.
  if (kind === 'summary' || typeof id !== 'string' || typeof rev !== 'number') return false;
  const key = `${kind} ${id}`;
  const held = revs.get(key);
  if (held !== undefined && rev < held) return true;
  revs.delete(key);
  revs.set(key, rev);
  const oldest = revs.keys().next();
  if (revs.size > REVS_MAX && oldest.done !== true) revs.delete(oldest.value);
  return false;
}
