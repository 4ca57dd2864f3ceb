/** Finds alerts that a maintenance window or a list of expected changes covers: they cause no notices. */
import type { ChainRecord } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { marksOf, setAsideBy, type LinkContent, type MarkedAlert } from '../maintenance/index.ts';
import type { Notice, NoticeType } from './notice.ts';

/** A notice that a person handled an alert always goes out. */
const ABOUT_ACTIVE_ALERTS: readonly NoticeType[] = ['alert.raised', 'alert.continued'];

/** Returns ids of alerts. Reads the entries of the records themselves, because their views may come later. */
export async function setAsideOf(
  store: DocumentStore,
  records: readonly ChainRecord[],
): Promise<ReadonlySet<string>> {
  const byOrganization = new Map<string, MarkedAlert[]>();
  const contents = new Map<string, string | null>();
  const requests = new Map<string, string>();
  const links = new Map<string, LinkContent[]>();
  for (const record of records) {
    for (const { id, number, contentHash = null, length = null } of record.entries) {
      contents.set(id, contentHash);
      if (record.fileId === null) continue;
      const own = links.get(record.fileId);
      const link = { id, number, hash: contentHash, length };
      if (own === undefined) links.set(record.fileId, [link]);
      else own.push(link);
    }
    for (const { id, eventRequest } of record.alerts)
      if (eventRequest !== undefined) requests.set(id, eventRequest);
    const own = byOrganization.get(record.orgId) ?? [];
    byOrganization.set(record.orgId, [...own, ...alertsOf(record)]);
  }
  const found = new Set<string>();
  for (const alerts of byOrganization.values())
    for (const [id, mark] of await marksOf(store, alerts, { contents, requests, links }))
      if (setAsideBy(mark) !== null) found.add(id);
  return found;
}

const alertsOf = ({ orgId, deviceId, fileId, alerts }: ChainRecord): MarkedAlert[] =>
  fileId === null ? [] : alerts.map((alert) => ({ ...alert, orgId, deviceId, fileId }));

export const isDelivered = ({ type, alert }: Notice, setAside: ReadonlySet<string>): boolean =>
  alert === undefined || !ABOUT_ACTIVE_ALERTS.includes(type) || !setAside.has(alert.id);
