import { useEffect } from 'react';
import type { FileKey } from '../api/calls/files.ts';
import { api } from '../state/api.ts';
import { applyToHistory, type ShownHistory } from './live-history.ts';
import { useResource, type Resource } from '../state/use-resource.ts';

/** Least time between two reads of a history, in ms, because a log may grow every second. */
const CATCH_UP_MS = 5_000;

export function useFileHistory(key: FileKey & { fileId: string }): Resource<ShownHistory> {
  const resource = useResource<ShownHistory>({
    key: `history ${key.fileId}`,
    load: async (signal) => ({
      ...(await api().getFileHistory(key, signal)),
      behind: false,
      read: Symbol('read'),
    }),
    apply: (history, item) => applyToHistory(key.fileId, history, item),
  });
  const { data, reload } = resource;
  const isBehind = data?.behind === true;
  const read = data?.read;
  // A frame that comes during a read leaves its result behind too: each read has its own wait.
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(reload, CATCH_UP_MS);
    return () => clearTimeout(timer);
  }, [isBehind, read, reload]);
  return resource;
}
