/** The chain request (decision 5 of the specification): selects links of a file and shows them. */
import { LIMITS, type ChainEntry, type ChainRequest, type Link, type Links } from '@sentinel-node/contracts';
import { ApiError, type Condition, type DocumentStore } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import {
  type AlertView,
  type Anchored,
  anchorsAt,
  type ChainEntryView,
  checkScope,
  iso,
  type LinkView,
  VIEWS,
  viewsOf,
} from '../views/index.ts';

/** Links around a link when the request does not say how many; together with that link, the default of a chain. */
const AROUND_NEWER = 4;
const AROUND_OLDER = LIMITS.chainLinksDefault - AROUND_NEWER - 1;

/** @throws ApiError NOT_FOUND for an unknown file, or a link of another file */
export async function readLinks(
  { store }: Pick<QueryContext, 'store'>,
  file: { readonly orgId: string; readonly deviceId: string; readonly fileId: string },
  request: ChainRequest,
): Promise<Links> {
  await checkScope(store, file);
  const links = await wantedLinks(store, file.fileId, request);
  const isOldestEnd = request.before === undefined && request.after !== undefined;
  const [newer, older] = await Promise.all([
    isThere(store, file.fileId, links[0], 'gt', isOldestEnd),
    isThere(store, file.fileId, links.at(-1), 'lt', !isOldestEnd),
  ]);
  const [shown, entries] = await Promise.all([
    shownLinks(store, links, newer),
    chainEntries(store, file.fileId, rangeOf(links, newer, older)),
  ]);
  return { links: shown, entries, newer, older };
}

/**
 * Returns the numbers of the entries that belong to these links: those between the links, and those beyond them at an
 * end of the chain.
 */
function rangeOf(links: readonly LinkView[], newer: boolean, older: boolean): Condition | undefined {
  if (links.length === 0) return newer || older ? { lt: 0 } : undefined;
  const range = {
    ...(newer ? { lte: links[0]!.number } : {}),
    ...(older ? { gte: links.at(-1)!.number } : {}),
  };
  return newer || older ? range : undefined;
}

/** @param number undefined for all entries of the chain */
async function chainEntries(
  store: DocumentStore,
  fileId: string,
  number: Condition | undefined,
): Promise<ChainEntry[]> {
  const found = await store.find(VIEWS.chainEntries, {
    where: { fileId, ...(number === undefined ? {} : { number }) },
    sort: { field: 'number', direction: 'desc' },
    limit: LIMITS.chainLinks,
  });
  const alertIds = found.map(({ alertId }) => alertId).filter((id) => id !== undefined);
  const [anchors, alerts] = await Promise.all([
    anchorsAt(store, found),
    viewsOf<AlertView>(store, VIEWS.alerts, alertIds),
  ]);
  return found.map((entry, at) => {
    const alert = entry.alertId === undefined ? undefined : alerts.get(entry.alertId);
    return shownEntry(entry, alert, anchors[at]!);
  });
}

function shownEntry(entry: ChainEntryView, alert: AlertView | undefined, anchor: Anchored): ChainEntry {
  const { id, number, kind, linkHash } = entry;
  const { state, batch, confirmations, txid } = anchor;
  return {
    id,
    number,
    kind,
    timestamp: iso(entry.timestamp),
    linkHash,
    bsvId: txid,
    anchor: { state, batch, confirmations },
    alert: alert === undefined ? null : handlingOf(alert),
  };
}

function handlingOf({ id, type, status, overrideUserEmail, note }: AlertView): ChainEntry['alert'] {
  return { id, type, status, overrideUserEmail, note };
}

async function wantedLinks(store: DocumentStore, fileId: string, request: ChainRequest): Promise<LinkView[]> {
  const { hashId, idFrom, idTo, before, after } = request;
  if (hashId !== undefined) return around(store, await memberOf(store, fileId, hashId), request);
  if (idFrom !== undefined || idTo !== undefined) return between(store, fileId, idFrom, idTo);
  if (before === undefined && after !== undefined)
    return (await run(store, fileId, {}, 'asc', after)).reverse();
  return run(store, fileId, {}, 'desc', before ?? LIMITS.chainLinksDefault);
}

async function around(
  store: DocumentStore,
  member: Member,
  { before, after }: ChainRequest,
): Promise<LinkView[]> {
  const isOpen = before === undefined && after === undefined;
  const newerCount = Math.min(after ?? (isOpen ? AROUND_NEWER : 0), LIMITS.chainLinks - 1);
  const olderCount = Math.min(before ?? (isOpen ? AROUND_OLDER : 0), LIMITS.chainLinks - 1 - newerCount);
  const [newer, older] = await Promise.all([
    run(store, member.fileId, { gt: member.number }, 'asc', newerCount),
    run(store, member.fileId, { lt: member.number }, 'desc', olderCount),
  ]);
  return [...newer.reverse(), ...('hash' in member ? [member] : []), ...older];
}

type Member = LinkView | ChainEntryView;

/** Returns a link, or an entry between links. */
async function memberOf(store: DocumentStore, fileId: string, id: string): Promise<Member> {
  const entry = await store.get(VIEWS.chainEntries, id);
  return entry?.fileId === fileId ? entry : linkOf(store, fileId, id);
}

/** Returns the links between two ids, both inclusive, in either order; a missing id means that end of the chain. */
async function between(
  store: DocumentStore,
  fileId: string,
  idFrom: string | undefined,
  idTo: string | undefined,
): Promise<LinkView[]> {
  const named = [idFrom, idTo].filter((id) => id !== undefined);
  const numbers = await Promise.all(named.map(async (id) => (await linkOf(store, fileId, id)).number));
  const range =
    numbers.length === 2
      ? { gte: Math.min(...numbers), lte: Math.max(...numbers) }
      : idFrom === undefined
        ? { lte: numbers[0]! }
        : { gte: numbers[0]! };
  return run(store, fileId, range, 'desc', LIMITS.chainLinks);
}

async function linkOf(store: DocumentStore, fileId: string, id: string): Promise<LinkView> {
  const link = await store.get(VIEWS.links, id);
  if (link?.fileId !== fileId) throw new ApiError('NOT_FOUND', { detail: 'The chain has no such link.' });
  return link;
}

async function run(
  store: DocumentStore,
  fileId: string,
  range: { gt?: number; gte?: number; lt?: number; lte?: number },
  direction: 'asc' | 'desc',
  limit: number,
): Promise<LinkView[]> {
  if (limit === 0) return [];
  const number: Condition | undefined = Object.keys(range).length === 0 ? undefined : range;
  const found = await store.find(VIEWS.links, {
    where: { fileId, ...(number === undefined ? {} : { number }) },
    sort: { field: 'number', direction },
    limit,
  });
  return found;
}

/** @param beyond whether the whole chain is on that side when no link was asked for */
async function isThere(
  store: DocumentStore,
  fileId: string,
  link: LinkView | undefined,
  side: 'gt' | 'lt',
  beyond: boolean,
): Promise<boolean> {
  if (link === undefined && !beyond) return false;
  const range = link === undefined ? {} : { [side]: link.number };
  return (await run(store, fileId, range, 'asc', 1)).length > 0;
}

async function shownLinks(store: DocumentStore, links: readonly LinkView[], newer: boolean): Promise<Link[]> {
  const alertIds = links.map(({ alertId }) => alertId).filter((id) => id !== undefined);
  const [anchors, alerts] = await Promise.all([
    anchorsAt(store, links),
    viewsOf<AlertView>(store, VIEWS.alerts, alertIds),
  ]);
  return links.map((link, at) => {
    const alert = link.alertId === undefined ? undefined : alerts.get(link.alertId);
    return shownLink(link, alert, anchors[at]!, at === 0 && !newer);
  });
}

function shownLink(link: LinkView, alert: AlertView | undefined, anchor: Anchored, isNewest: boolean): Link {
  const { id, number, hash, length, linkHash } = link;
  const { state, batch, confirmations } = anchor;
  return {
    id,
    number,
    hash,
    firstHash: link.firstHash === true,
    ...(link.whileDisabled && { whileDisabled: true as const }),
    type: shownType(link.kind, alert, isNewest),
    length,
    timestamp: iso(link.timestamp),
    linkHash,
    bsvId: anchor.txid,
    anchor: { state, batch, confirmations },
    alerts: alert === undefined ? [] : [{ id: alert.id, type: alert.type, status: alert.status }],
  };
}

/** @param isNewest true for the newest link of the whole chain */
export function shownType(
  kind: LinkView['kind'],
  alert: AlertView | undefined,
  isNewest: boolean,
): Link['type'] {
  if (kind !== 'BREAK') return isNewest ? 'END' : kind;
  return alert !== undefined && alert.status !== 'ACTIVE' ? 'OVERRIDEN' : 'BREAK';
}
