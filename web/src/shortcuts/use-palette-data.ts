import type { DeviceListItem } from '../answers.ts';
import { useEffect, useState } from 'react';
import { isCode } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { FILES_OF_DEVICES, namedDevices, type FoundFile } from './palette-items.ts';

/** A device whose files are offered. */
type FilesOfDevice = FoundFile['device'] & { readonly files: readonly FoundFile['file'][] };

interface PaletteData {
  devices: readonly DeviceListItem[];
  files: readonly FoundFile[];
  /** The lists that are still being read; null when all is read that can be. */
  reading: 'devices' | 'files' | null;
  /** Names of the devices whose files could not be read. */
  unread: readonly string[];
  /** Number of devices that the query names and whose files are not looked at, because they are too many. */
  passedOver: number;
  /** Why reading the devices failed; null without a failure. */
  failure: string | null;
}

export type PaletteState = Pick<PaletteData, 'reading' | 'unread' | 'passedOver' | 'failure'>;

/** Returns the id of the page's device, if any. */
const deviceOfPage = (): string | undefined => /^\/device\/([^/]+)/.exec(location.pathname)?.[1];

/**
 * Returns the devices, read when the palette opens, and the files of the page's device and of devices that the query
 * names. Files are read device by device, because no call lists all files.
 */
export function usePaletteData(orgId: string, query: string): PaletteData {
  const [listed, setListed] = useState<readonly DeviceListItem[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [read, setRead] = useState<readonly FilesOfDevice[]>([]);
  const [unread, setUnread] = useState<readonly string[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    api()
      .getDevices(orgId, controller.signal)
      .then(
        (answer) => setListed(answer.devices),
        (error: unknown) => {
          if (!controller.signal.aborted) setFailure(messageOf(error));
        },
      );
    return () => controller.abort();
  }, [orgId]);
  const devices = listed ?? [];
  const page = deviceOfPage();
  const named = namedDevices(devices, query);
  const wanted = named.length > FILES_OF_DEVICES ? [] : named.map(({ id }) => id);
  const missing = [...(page === undefined ? [] : [page]), ...wanted].filter(
    (id) => !unread.includes(id) && !read.some((device) => device.id === id),
  );
  const next = missing[0];
  useEffect(() => {
    if (next === undefined) return undefined;
    const controller = new AbortController();
    api()
      .getDevice(orgId, next, controller.signal)
      .then(
        (device) => setRead((held) => [...held, device]),
        (error: unknown) => {
          if (controller.signal.aborted) return;
          // A device that does not exist has no files.
          if (isCode(error, 'NOT_FOUND')) setRead((held) => [...held, { id: next, name: '', files: [] }]);
          else setUnread((held) => [...held, next]);
        },
      );
    return () => controller.abort();
  }, [orgId, next]);
  const files = read.flatMap((device) => device.files.map((file) => ({ device, file })));
  return {
    devices,
    files,
    reading: listed === null && failure === null ? 'devices' : next === undefined ? null : 'files',
    unread: unread.map((id) => devices.find((device) => device.id === id)?.name ?? 'this device'),
    passedOver: named.length - wanted.length,
    failure,
  };
}
