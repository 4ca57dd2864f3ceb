import type { Device, DeviceListItem } from '@sentinel-node/contracts';
import { useEffect, useState } from 'react';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { namedDevices, type FoundFile } from './palette-items.ts';

interface PaletteData {
  devices: readonly DeviceListItem[];
  files: readonly FoundFile[];
  /** Why there are no devices. */
  failure: string | null;
}

/** The device that the page is about. */
const deviceOfPage = (): string | undefined => /^\/device\/([^/]+)/.exec(location.pathname)?.[1];

/**
 * Devices, read when the palette opens, and the files of those that the query names or that the page is about. Files are
 * read device by device, because no call lists those of all.
 */
export function usePaletteData(orgId: string, query: string): PaletteData {
  const [devices, setDevices] = useState<readonly DeviceListItem[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [read, setRead] = useState<readonly Device[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    api()
      .getDevices(orgId, controller.signal)
      .then(
        (answer) => setDevices(answer.devices),
        (error: unknown) => {
          if (!controller.signal.aborted) setFailure(messageOf(error));
        },
      );
    return () => controller.abort();
  }, [orgId]);
  const page = deviceOfPage();
  const wanted = namedDevices(devices, query).map(({ id }) => id);
  const missing = [...(page === undefined ? [] : [page]), ...wanted].filter(
    (id) => !read.some((device) => device.id === id),
  );
  const next = missing[0];
  useEffect(() => {
    if (next === undefined) return undefined;
    const controller = new AbortController();
    api()
      .getDevice(orgId, next, controller.signal)
      .then(
        (device) => setRead((held) => [...held, device]),
        // Its files are not offered; the device itself still is.
        () => undefined,
      );
    return () => controller.abort();
  }, [orgId, next]);
  const files = read.flatMap((device) => device.files.map((file) => ({ device, file })));
  return { devices, files, failure };
}
