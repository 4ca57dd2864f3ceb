import { useCallback, useState } from 'react';
import type { LiveItem } from './live.ts';
import { RELOAD, useResource } from './use-resource.ts';

export interface Page<T> {
  items: T[];
  /** Null: the end. */
  lastId: string | null;
}

interface PagesOptions<T> {
  key: string;
  load: (lastId: string | undefined, signal: AbortSignal | undefined) => Promise<Page<T>>;
  apply: (items: T[], item: LiveItem) => T[] | typeof RELOAD;
}

/** A list of the server that is read page by page, newest first, and kept current. */
export function usePages<T extends { id: string }>({ key, load, apply }: PagesOptions<T>) {
  const resource = useResource<Page<T>>({
    key,
    load: (signal) => load(undefined, signal),
    apply: (page, item) => {
      const items = apply(page.items, item);
      if (items === RELOAD) return RELOAD;
      return items === page.items ? page : { ...page, items };
    },
  });
  const [more, setMore] = useState<{ key: string; busy: boolean; failed: boolean }>({
    key: '',
    busy: false,
    failed: false,
  });
  const { data, update } = resource;
  const busy = more.key === key && more.busy;
  const lastId = data?.lastId ?? null;
  const loadMore = useCallback(() => {
    if (lastId === null || busy) return;
    setMore({ key, busy: true, failed: false });
    load(lastId, undefined).then(
      (page) => {
        update((old) => (old.lastId === lastId ? append(old, page) : old));
        setMore({ key, busy: false, failed: false });
      },
      () => setMore({ key, busy: false, failed: true }),
    );
  }, [key, lastId, busy, load, update]);
  return {
    ...resource,
    items: data?.items ?? [],
    hasMore: lastId !== null,
    loadMore,
    loadingMore: busy,
    moreFailed: more.key === key && more.failed,
  };
}

function append<T extends { id: string }>(old: Page<T>, page: Page<T>): Page<T> {
  const held = new Set(old.items.map((item) => item.id));
  return { items: [...old.items, ...page.items.filter((item) => !held.has(item.id))], lastId: page.lastId };
}
