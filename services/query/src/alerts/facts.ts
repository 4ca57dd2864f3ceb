/** Builds the facts that filters compare from the views of alerts. */
import { NOBODY } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { marksOf } from '../maintenance/index.ts';
import { type AlertView, type LinkView, subjectViews, VIEWS, viewsOf } from '../views/index.ts';
import { linesOf, type AlertFacts } from './alert-facts.ts';
import { workOf } from './read-alerts.ts';

/** Returns the facts in the order of `alerts`. */
export async function factsOf(store: DocumentStore, alerts: readonly AlertView[]): Promise<AlertFacts[]> {
  const [marks, links, work, { devices, files }] = await Promise.all([
    marksOf(store, alerts),
    viewsOf<LinkView>(
      store,
      VIEWS.links,
      alerts.map(({ hashId }) => hashId),
    ),
    workOf(
      store,
      alerts.map(({ id }) => id),
    ),
    subjectViews(store, alerts),
  ]);
  return alerts.map(({ id, status, type, deviceId, fileId, overrideUser, hashId }) => {
    const [device, file] = [devices.get(deviceId), files.get(fileId)];
    const { planned, expected } = marks.get(id) ?? {};
    const [window, list] = [planned?.id ?? null, expected?.id ?? null];
    return {
      id,
      status,
      type,
      category: device?.category ?? null,
      deviceId,
      fileId,
      handledBy: overrideUser,
      assignee: work.get(id)?.assignee?.userId ?? NOBODY,
      contentHash: links.get(hashId)?.hash ?? null,
      planned: window === null ? 'no' : 'yes',
      window,
      expected: list === null ? 'no' : 'yes',
      list,
      deviceLabels: linesOf(device?.labels),
      fileLabels: linesOf(file?.labels),
      deviceRev: Math.min(device?.rev ?? 0, file?.rev ?? 0),
    };
  });
}
