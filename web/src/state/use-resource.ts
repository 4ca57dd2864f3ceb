import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isCode } from '../api/errors.ts';
import { useHeld } from './use-held.ts';
import { isPassing, useUnread } from './unread.ts';
import { liveAtom, onLiveItem, shownGenerations, type LiveItem } from './live.ts';

/** Result of `apply` when a frame cannot be merged and the data must be read again. */
export const RELOAD = Symbol('reload');

export interface ResourceOptions<T> {
  /** Identifies the resource; null while there is nothing to read. */
  key: string | null;
  load: (signal: AbortSignal) => Promise<T>;
  /** Merges a live item into the data. */
  apply?: (data: T, item: LiveItem) => T | typeof RELOAD;
}

export interface Resource<T> {
  data: T | undefined;
  error: unknown;
  loading: boolean;
  reload: () => void;
  /** As `reload`, unless a read runs: it would be given up, and one that is slower than the calls would never end. */
  readAgain: () => void;
  /** Changes the data; nothing when it is of another key by now. */
  update: (change: (data: T) => T) => void;
}

interface State<T> {
  key: string | null;
  data: T | undefined;
  error: unknown;
  /** Generation in which `data` was read. */
  generation: number;
}

/** Least time between two reads that live frames cause, in ms. */
const RELOAD_MS = 500;
/** Most frames kept during a read for merging into its result; with more, the data is read again. */
const BUFFERED_MAX = 500;

/** Reads a resource of the server and keeps it current by live items, and by reading again after a `resync`. */
export function useResource<T>(options: ResourceOptions<T>): Resource<T> {
  const { key } = options;
  const { open, generation } = useAtomValue(liveAtom);
  const [state, setState] = useHeld<State<T>>({ key: null, data: undefined, error: null, generation: 0 });
  const [tick, setTick] = useState(0);
  const latest = useRef(options);
  /** Items that came during the read that runs; null while none runs. */
  const buffer = useRef<LiveItem[] | null>(null);
  useLayoutEffect(() => {
    latest.current = options;
  });
  const reload = useCallback(() => setTick((n) => n + 1), []);
  const readAgain = useCallback(() => {
    if (buffer.current === null) reload();
  }, [reload]);

  // Before the paint, so that the read does not wait for the frame that shows its absence.
  useLayoutEffect(() => {
    if (key === null || !open) return undefined;
    const controller = new AbortController();
    buffer.current = [];
    const finish = (make: (old: State<T>) => State<T>): void => {
      if (controller.signal.aborted) return;
      buffer.current = null;
      setState(make);
    };
    latest.current.load(controller.signal).then(
      (data) => {
        const merged = mergeAll(data, buffer.current ?? [], latest.current.apply);
        finish(() => ({ key, data: merged.data, error: null, generation }));
        if (merged.again && !controller.signal.aborted) reload();
      },
      (error: unknown) =>
        finish((old) => {
          // A refusal stays one: what was read before would be shown as current, and nothing would say that it is old.
          const isKept = old.key === key && (isPassing(error) || isCode(error, 'UNAUTHENTICATED'));
          return { ...old, key, data: isKept ? old.data : undefined, error };
        }),
    );
    return () => controller.abort();
  }, [key, open, generation, tick, reload, setState]);

  useLiveMerge(latest, buffer, setState, reload);

  const update = useCallback(
    (change: (data: T) => T) => {
      setState((old) => {
        if (old.data === undefined || old.key !== key) return old;
        const data = change(old.data);
        return data === old.data ? old : { ...old, data };
      });
    },
    [key, setState],
  );
  const current = state.key === key ? state : { data: undefined, error: null };
  const isShown = current.data !== undefined;
  useEffect(
    () => (isShown ? shownGenerations.announce(state.generation) : undefined),
    [isShown, state.generation],
  );
  useUnread(current.data === undefined ? null : current.error, readAgain);
  return {
    data: current.data,
    error: current.error,
    loading: current.data === undefined && current.error === null,
    reload,
    readAgain,
    update,
  };
}

/** Keeps an item that comes during a read, for `mergeAll`. */
export function keepItem(items: LiveItem[], item: LiveItem): void {
  if (items.length <= BUFFERED_MAX) items.push(item);
}

/** Merges the items that came during a read into its result. @returns with `again` when it must be read again */
export function mergeAll<T>(
  data: T,
  items: readonly LiveItem[],
  apply: ResourceOptions<T>['apply'],
): { data: T; again: boolean } {
  let merged = data;
  let again = items.length > BUFFERED_MAX;
  for (const item of items) {
    const next = apply === undefined ? merged : apply(merged, item);
    if (next === RELOAD) again = true;
    else merged = next;
  }
  return { data: merged, again };
}

type Ref<V> = { current: V };

function useLiveMerge<T>(
  latest: Ref<ResourceOptions<T>>,
  buffer: Ref<LiveItem[] | null>,
  setState: (change: (old: State<T>) => State<T>) => void,
  reload: () => void,
): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const reloadSoon = (): void => {
      timer ??= setTimeout(() => {
        timer = null;
        reload();
      }, RELOAD_MS);
    };
    const stop = onLiveItem((item) => {
      const pending = buffer.current;
      if (pending !== null) keepItem(pending, item);
      setState((old) => {
        const { apply } = latest.current;
        if (old.data === undefined || apply === undefined) return old;
        const next = apply(old.data, item);
        if (next !== RELOAD) return next === old.data ? old : { ...old, data: next };
        if (pending === null) reloadSoon();
        return old;
      });
    });
    return () => {
      if (timer !== null) clearTimeout(timer);
      stop();
    };
  }, [latest, buffer, setState, reload]);
}
