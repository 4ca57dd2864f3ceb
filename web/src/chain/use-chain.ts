import type { Link, Links } from '../answers.ts';
import { useCallback, useRef, useState } from 'react';
import type { FileKey } from '../api/calls/files.ts';
import { api } from '../state/api.ts';
import { applyToChain, chainOf, numberOf, type Chain } from './live-chain.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';

/** Links loaded per request for more. */
const MORE_LINKS = 10;
const REFRESH_MAX = 500;

type Shown = Pick<Links, 'links' | 'entries'>;

export type Direction = 'newer' | 'older';

/**
 * Reads a file's chain, newest first, around a link when `hashId` is given. Any failure, also of a live refresh,
 * leaves no links.
 */
export function useChain(key: FileKey & { fileId: string }, hashId: string | null) {
  const [busy, setBusy] = useState<Direction | null>(null);
  const [moreFailure, setMoreFailure] = useState<unknown>(null);
  const shown = useRef<Shown>({ links: [], entries: [] });
  const grown = useRef(false);
  /** Highest number of the file's chain in the stream. */
  const told = useRef(-1);
  const first = hashId === null ? {} : { hashId };
  const resource = useResource<Chain>({
    key: `${key.fileId} ${hashId ?? ''}`,
    load: async (signal) => {
      const oldest = shown.current.links.at(-1);
      if (!grown.current || oldest === undefined)
        return keep(shown, chainOf(await api().getChain(key, first, signal), told.current));
      const fresh = await readAgain(key, oldest, shown.current.links, signal);
      return keep(shown, chainOf({ ...fresh, ...joined(shown.current, fresh) }, told.current));
    },
    apply: (chain, item) => {
      const number = numberOf(key.fileId, item);
      told.current = Math.max(told.current, number);
      return number > chain.head ? RELOAD : applyToChain(chain, item);
    },
  });
  const { data, update, reload } = resource;
  const failure = resource.error ?? moreFailure;
  const retry = useCallback(() => {
    setMoreFailure(null);
    reload();
  }, [reload]);
  const loadMore = useCallback(
    (direction: Direction) => {
      const links = data?.links ?? [];
      const from = direction === 'newer' ? links[0] : links.at(-1);
      if (from === undefined || busy !== null) return;
      setBusy(direction);
      const amount = direction === 'newer' ? { after: MORE_LINKS } : { before: MORE_LINKS };
      api()
        .getChain(key, { hashId: from.id, ...amount })
        .then((more) => {
          grown.current = true;
          update((old) => keep(shown, { ...old, ...joined(old, more), [direction]: more[direction] }));
        })
        .catch(setMoreFailure)
        .finally(() => setBusy(null));
    },
    [data, busy, key, update],
  );
  return {
    links: failure === null ? (data?.links ?? []) : [],
    entries: failure === null ? (data?.entries ?? []) : [],
    failure,
    retry,
    newer: data?.newer ?? false,
    older: data?.older ?? false,
    busy,
    loadMore,
    resource,
  };
}

/**
 * Reads the links from the oldest held one up to the newest held one again, and some newer ones; in several requests
 * when they are more than one may have. Otherwise the newest held link would stay the end of the chain.
 */
async function readAgain(
  key: FileKey,
  oldest: Link,
  held: readonly Link[],
  signal: AbortSignal,
): Promise<Links> {
  const newest = held[0] ?? oldest;
  let all: Links | null = null;
  for (let from = oldest; ;) {
    const wanted = held.filter(({ number }) => number > from.number).length + MORE_LINKS;
    const after = Math.min(REFRESH_MAX, wanted);
    const fresh: Links = await api().getChain(key, { hashId: from.id, after }, signal);
    all = all === null ? fresh : { ...fresh, ...joined(all, fresh), older: all.older };
    const top = fresh.links[0];
    if (!fresh.newer || top === undefined || top.number <= from.number || top.number >= newest.number)
      return all;
    from = top;
  }
}

function keep(shown: { current: Shown }, chain: Chain): Chain {
  shown.current = chain;
  return chain;
}

const joined = (old: Shown, fresh: Shown): Required<Shown> => ({
  links: merge(old.links, fresh.links),
  entries: merge(old.entries ?? [], fresh.entries ?? []),
});

function merge<T extends { id: string; number: number }>(old: readonly T[], fresh: readonly T[]): T[] {
  const byId = new Map([...old, ...fresh].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => b.number - a.number);
}
