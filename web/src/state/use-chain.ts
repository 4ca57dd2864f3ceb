import type { Link, Links } from '@sentinel-node/contracts';
import { useCallback, useRef, useState } from 'react';
import type { FileKey } from '../api/calls/files.ts';
import { api } from './api.ts';
import { RELOAD, useResource } from './use-resource.ts';

/** Links of one more piece. */
const MORE_LINKS = 10;
const REFRESH_MAX = 500;

export type Direction = 'newer' | 'older';

/** Items of the stream after which a chain may look different. */
const touches = (fileId: string, kind: string, data: Record<string, unknown>): boolean =>
  kind === 'anchor' || data['fileId'] === fileId || (kind === 'file' && data['id'] === fileId);

/** A file's chain, newest first, around a link when `hashId` is given. A failure leaves no links. */
export function useChain(key: FileKey & { fileId: string }, hashId: string | null) {
  const [busy, setBusy] = useState<Direction | null>(null);
  const shown = useRef<Link[]>([]);
  const grown = useRef(false);
  const first = hashId === null ? {} : { hashId };
  const resource = useResource<Links>({
    key: `${key.fileId} ${hashId ?? ''}`,
    load: async (signal) => {
      const oldest = shown.current.at(-1);
      if (!grown.current || oldest === undefined)
        return keep(shown, await api().getChain(key, first, signal));
      const after = Math.min(REFRESH_MAX, shown.current.length + MORE_LINKS);
      const fresh = await api().getChain(key, { hashId: oldest.id, after }, signal);
      return keep(shown, { ...fresh, links: merge(shown.current, fresh.links), older: fresh.older });
    },
    apply: (links, item) => (touches(key.fileId, item.kind, item.data) ? RELOAD : links),
  });
  const { data, update } = resource;
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
          update((old) =>
            keep(shown, { ...old, links: merge(old.links, more.links), [direction]: more[direction] }),
          );
        })
        .catch(() => update((old) => keep(shown, { ...old, links: [] })))
        .finally(() => setBusy(null));
    },
    [data, busy, key, update],
  );
  return {
    links: data?.links ?? [],
    newer: data?.newer ?? false,
    older: data?.older ?? false,
    busy,
    loadMore,
    resource,
  };
}

function keep(shown: { current: Link[] }, links: Links): Links {
  shown.current = links.links;
  return links;
}

function merge(old: Link[], fresh: Link[]): Link[] {
  const byId = new Map([...old, ...fresh].map((link) => [link.id, link]));
  return [...byId.values()].sort((a, b) => b.number - a.number);
}
