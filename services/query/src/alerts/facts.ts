/** From the views of alerts to what their filters compare. */
import { NOBODY } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import {
  type AlertView,
  type AlertWorkView,
  type DeviceView,
  type LinkView,
  VIEWS,
  viewsOf,
} from '../views/index.ts';
import type { AlertFacts } from './alert-facts.ts';

/** In the order of `alerts`. */
export async function factsOf(store: DocumentStore, alerts: readonly AlertView[]): Promise<AlertFacts[]> {
  const [links, work, devices] = await Promise.all([
    viewsOf<LinkView>(
      store,
      VIEWS.links,
      alerts.map(({ hashId }) => hashId),
    ),
    viewsOf<AlertWorkView>(
      store,
      VIEWS.alertWork,
      alerts.map(({ id }) => id),
    ),
    viewsOf<DeviceView>(
      store,
      VIEWS.devices,
      alerts.map(({ deviceId }) => deviceId),
    ),
  ]);
  return alerts.map(({ id, status, type, deviceId, fileId, overrideUser, hashId }) => ({
    id,
    status,
    type,
    category: devices.get(deviceId)?.category ?? null,
    deviceId,
    fileId,
    handledBy: overrideUser,
    assignee: work.get(id)?.assignee?.userId ?? NOBODY,
    contentHash: links.get(hashId)?.hash ?? null,
  }));
}
