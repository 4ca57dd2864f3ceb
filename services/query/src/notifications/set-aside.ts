/**
 * Finds alerts that a maintenance window or a list of expected changes covers: they cause no notices until the file
 * changes again, outside of what was planned.
 */
import { omit, type ChainAlert, type ChainRecord } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import {
  marksOfStates,
  setAsideBy,
  type AlertSources,
  type LinkContent,
  type Mark,
  type MarkedAlert,
} from '../maintenance/index.ts';

/** The part of windows and lists in the alerts of records. */
export interface SetAside {
  /** Alerts as a record has them, which no notice tells as raised or continued. */
  readonly setAside: ReadonlySet<ChainAlert>;
  /** Alerts that were set aside when they were raised, and are not any more: a later change is not as planned. */
  readonly goOn: ReadonlySet<ChainAlert>;
}

export const NOTHING_SET_ASIDE: SetAside = { setAside: new Set(), goOn: new Set() };

/** An alert of a record, with what decides its mark. */
interface Candidate {
  readonly alert: ChainAlert;
  readonly marked: MarkedAlert;
}

/** Reads the entries of the records themselves, because their views may come later. */
export async function setAsideOf(store: DocumentStore, records: readonly ChainRecord[]): Promise<SetAside> {
  const sources = sourcesOf(records);
  const all = records.flatMap(candidatesOf).filter(({ alert }) => alert.status === 'ACTIVE');
  const setAside = await markedOf(store, all, sources, (mark) => setAsideBy(mark) !== null);
  const late = all.filter(({ alert }) => alert.occurrences > 1 && !setAside.has(alert)).map(asRaised);
  return { setAside, goOn: await markedOf(store, late, sources) };
}

const candidatesOf = ({ orgId, deviceId, fileId, alerts }: ChainRecord): Candidate[] =>
  fileId === null ? [] : alerts.map((alert) => ({ alert, marked: { ...alert, orgId, deviceId, fileId } }));

/**
 * An alert as it was when it was raised: with its first change alone. Whether that one changed attributes is not known
 * any more: rather tell an alert once more than never.
 */
const asRaised = ({ alert, marked }: Candidate): Candidate => {
  const { timestamp } = marked;
  return { alert, marked: { ...omit(marked, 'attributeChanges'), occurrences: 1, lastTimestamp: timestamp } };
};

function sourcesOf(records: readonly ChainRecord[]): AlertSources {
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
  }
  return { contents, requests, links };
}

/**
 * Returns the alerts with a mark that counts. By default a window that was reviewed since counts too: when the alert was
 * raised, nobody had.
 */
async function markedOf(
  store: DocumentStore,
  candidates: readonly Candidate[],
  sources: AlertSources,
  counts: (mark: Mark) => boolean = () => true,
): Promise<Set<ChainAlert>> {
  const byOrganization = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const own = byOrganization.get(candidate.marked.orgId);
    if (own === undefined) byOrganization.set(candidate.marked.orgId, [candidate]);
    else own.push(candidate);
  }
  const found = new Set<ChainAlert>();
  for (const own of byOrganization.values()) {
    const states = own.map(({ marked }) => marked);
    for (const [at, mark] of (await marksOfStates(store, states, sources)).entries())
      if (mark !== undefined && counts(mark)) found.add(own[at]!.alert);
  }
  return found;
}
