import type { ListOrder } from '@sentinel-node/contracts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { onLiveItem, type LiveItem } from './live.ts';
import { upsert, upsertLast } from './live-object.ts';
import { keepItem, mergeAll, RELOAD, useResource, type Resource } from './use-resource.ts';
import { useUrlPageLength } from './use-url-page.ts';

export interface Page<T> {
  items: T[];
  /** Null at the end of the list. */
  lastId: string | null;
}

export interface Shown<T> extends Page<T> {
  /** New rows that wait until the person asks for them. */
  waiting: T[];
}

interface PagesOptions<T> {
  key: string;
  /** The first in the order; absent: newest. */
  order?: ListOrder;
  /** Reads one page. @param limit most items of the page */
  load: (lastId: string | undefined, signal: AbortSignal | undefined, limit: number) => Promise<Page<T>>;
  /** Converts a live item to a row; null when it concerns other objects. */
  read: (item: LiveItem) => T | null;
  /** Returns whether an object belongs in the list; null when only the server knows, and the list is read again. */
  matches: (object: T) => boolean | null;
  /** Applies an item's other effects to the present rows. */
  patch?: (items: T[], item: LiveItem) => T[];
  /** Returns whether an item may bring rows that no frame names, so that the list is read again. */
  isBehind?: (item: LiveItem) => boolean;
  /** Returns whether a row has left the list by the passing of time; absent: none does. */
  isPast?: ((object: T) => boolean) | undefined;
  /** Returns whether new rows must wait, because they would move the text being read. */
  holds: () => boolean;
}

/** Most waiting rows; with more, the list is read again instead. */
const WAITING_MAX = 200;
/** Most rows read again in one request. */
const REFRESH_MAX = 500;
/** Most rows kept while new ones arrive on top; scrolling reads the dropped ones again. */
const KEPT_MAX = 1_000;

/**
 * Reads a list of the server page by page and keeps it current: rows change in place and stay, even when they no longer
 * match, but for those that `isPast`. Newest first, new rows are added on top, or wait while `holds`; oldest first, they come after the last page.
 */
export function usePages<T extends { id: string }>(options: PagesOptions<T>) {
  const { load } = options;
  const { pageLength } = useUrlPageLength();
  const key = `${options.key} ${pageLength}`;
  const shown = useRef<{ key: string; page: Shown<T> } | null>(null);
  const letIn = useRef(false);
  const resource = useResource<Shown<T>>({
    key,
    load: async (signal) => {
      const held = shown.current?.key === key ? shown.current.page : undefined;
      const limit = Math.max(pageLength, Math.min(REFRESH_MAX, held?.items.length ?? 0));
      const fresh = await load(undefined, signal, limit);
      const keeps = held !== undefined && !letIn.current && mustHold(options);
      letIn.current = false;
      return keeps ? withWaiting(held, fresh) : { ...fresh, waiting: [] };
    },
    apply: (page, item) => applyItem(page, item, options),
  });
  const { data, update, reload } = resource;
  const { isPast = () => false } = options;
  useEffect(() => {
    shown.current = data === undefined ? null : { key, page: data };
  }, [key, data]);
  const bringIn = useCallback(() => {
    if ((data?.waiting.length ?? 0) < WAITING_MAX) return update(letAllIn);
    letIn.current = true;
    reload();
  }, [data, update, reload]);
  return {
    ...resource,
    ...useMore({ key, pageLength, options }, data, { update, reload }),
    items: data?.items.filter((item) => !isPast(item)) ?? [],
    waiting: data?.waiting.length ?? 0,
    waitingMore: (data?.waiting.length ?? 0) >= WAITING_MAX,
    bringIn,
  };
}

/** Rows at the end of the list move nothing. */
const mustHold = <T>({ order, holds }: PagesOptions<T>): boolean => order !== 'oldest' && holds();

function applyItem<T extends { id: string }>(
  page: Shown<T>,
  item: LiveItem,
  options: PagesOptions<T>,
): Shown<T> | typeof RELOAD {
  const { read, matches, patch, order, isBehind } = options;
  if (isBehind?.(item) === true) return RELOAD;
  const put = order === 'oldest' ? upsertLast : upsert;
  const items = patch === undefined ? page.items : patch(page.items, item);
  const waiting = patch === undefined ? page.waiting : patch(page.waiting, item);
  const same = items === page.items && waiting === page.waiting ? page : { ...page, items, waiting };
  const object = read(item);
  if (object === null) return same;
  const { id } = object;
  if (same.items.some((held) => held.id === id)) return { ...same, items: put(same.items, object) };
  if (same.waiting.some((held) => held.id === id)) return { ...same, waiting: upsert(same.waiting, object) };
  const isLater = same.lastId !== null && (order === 'oldest' ? id > same.lastId : id < same.lastId);
  const isMatch = isLater ? false : matches(object);
  if (isMatch === null) return RELOAD;
  if (!isMatch) return same;
  if (same.items.length === 0 || !mustHold(options))
    return bounded({ ...same, items: put(same.items, object) });
  if (same.waiting.length >= WAITING_MAX) return same;
  return { ...same, waiting: upsert(same.waiting, object) };
}

/** Drops rows beyond `KEPT_MAX`. The person is at the top of the list, because new rows otherwise wait. */
function bounded<T extends { id: string }>(page: Shown<T>): Shown<T> {
  if (page.items.length <= KEPT_MAX) return page;
  const items = page.items.slice(0, KEPT_MAX);
  return { ...page, items, lastId: items.at(-1)?.id ?? null };
}

const letAllIn = <T extends { id: string }>(page: Shown<T>): Shown<T> => ({
  ...page,
  items: page.waiting.reduce(upsert, page.items),
  waiting: [],
});

/** Returns the reread list with its new rows in `waiting`; rows after the last held one move nothing, and may be older. */
function withWaiting<T extends { id: string }>(held: Shown<T>, fresh: Page<T>): Shown<T> {
  const known = new Set(held.items.map(({ id }) => id));
  const isHeld = ({ id }: T): boolean => known.has(id);
  const last = fresh.items.findLastIndex(isHeld);
  if (last < 0) return { ...fresh, waiting: [] };
  const items = fresh.items.filter((item, at) => at > last || isHeld(item));
  const waiting = fresh.items.filter((item, at) => at < last && !isHeld(item)).slice(0, WAITING_MAX);
  return { items, waiting, lastId: fresh.lastId };
}

function useMore<T extends { id: string }>(
  { key, pageLength, options }: { key: string; pageLength: number; options: PagesOptions<T> },
  data: Shown<T> | undefined,
  { update, reload }: Pick<Resource<Shown<T>>, 'update' | 'reload'>,
) {
  const [more, setMore] = useState({ key: '', busy: false, failed: false });
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const { load } = options;
  const busy = more.key === key && more.busy;
  const lastId = data?.lastId ?? null;
  const loadMore = useCallback(() => {
    if (lastId === null || busy) return;
    setMore({ key, busy: true, failed: false });
    const end = (failed: boolean): void =>
      setMore((old) => (old.key === key ? { key, busy: false, failed } : old));
    const items: LiveItem[] = [];
    const stop = onLiveItem((item) => keepItem(items, item));
    load(lastId, undefined, pageLength)
      .then(
        (page) => {
          update((old) => {
            if (old.lastId !== lastId) return old;
            // The page may be older than a frame that came during its read.
            const merged = mergeAll(append(old, page), items, (shown, item) =>
              applyItem(shown, item, latest.current),
            );
            if (merged.again) queueMicrotask(reload);
            return merged.data;
          });
          end(false);
        },
        () => end(true),
      )
      .finally(stop);
  }, [key, lastId, busy, load, pageLength, update, reload]);
  const failed = more.key === key && more.failed;
  return { hasMore: lastId !== null, loadMore, loadingMore: busy, moreFailed: failed };
}

function append<T extends { id: string }>(old: Shown<T>, page: Page<T>): Shown<T> {
  const held = new Set(old.items.map((item) => item.id));
  const items = [...old.items, ...page.items.filter((item) => !held.has(item.id))];
  return { ...old, items, lastId: page.lastId };
}
