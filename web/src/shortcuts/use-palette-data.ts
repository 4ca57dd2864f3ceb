import type { Device, DeviceListItem } from '@sentinel-node/contracts';
import { useEffect, useState } from 'react';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { namedDevices, type FoundFile } from './palette-items.ts';

interface PaletteData {
  devices: readonly DeviceListItem[];
  files: readonly FoundFile[];
  /** Why reading the devices failed; null without a failure. */
  failure: string | null;
}

/** Returns the id of the page's device, if any. */
const deviceOfPage = (): string | undefined => /^\/device\/([^/]+)/.exec(location.pathname)?.[1];

/**
 * Returns the devices, read when the palette opens, and the files of the page's device and of devices that the query
 * names. Files are read device by device, because no call lists all files.
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
        // Without its files, the palette still offers the device.
        () => undefined,
      );
    return () => controller.abort();
  }, [orgId, next]);
  const files = read.flatMap((device) => device.files.map((file) => ({ device, file })));
  return { devices, files, failure };
}
