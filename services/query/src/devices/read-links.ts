/** The chain request (decisions 5): which links of a file are asked for, and how they are shown. */
import { LIMITS, type ChainRequest, type Link, type Links } from '@sentinel-node/contracts';
import { ApiError, type Condition, type DocumentStore } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import {
  type AlertView,
  type Anchored,
  anchorsAt,
  checkScope,
  iso,
  type LinkView,
  viewOf,
  VIEWS,
  viewsOf,
} from '../views/index.ts';

/** Around a link when the request does not say how many; with the link itself the default of a chain. */
const AROUND_NEWER = 4;
const AROUND_OLDER = LIMITS.chainLinksDefault - AROUND_NEWER - 1;

/** @throws ApiError NOT_FOUND for an unknown file, or a link that is not of it */
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
  return { links: await shownLinks(store, links, newer), newer, older };
}

async function wantedLinks(store: DocumentStore, fileId: string, request: ChainRequest): Promise<LinkView[]> {
  const { hashId, idFrom, idTo, before, after } = request;
  if (hashId !== undefined) return around(store, await linkOf(store, fileId, hashId), request);
  if (idFrom !== undefined || idTo !== undefined) return between(store, fileId, idFrom, idTo);
  if (before === undefined && after !== undefined)
    return (await run(store, fileId, {}, 'asc', after)).reverse();
  return run(store, fileId, {}, 'desc', before ?? LIMITS.chainLinksDefault);
}

async function around(
  store: DocumentStore,
  link: LinkView,
  { before, after }: ChainRequest,
): Promise<LinkView[]> {
  const isOpen = before === undefined && after === undefined;
  const newerCount = Math.min(after ?? (isOpen ? AROUND_NEWER : 0), LIMITS.chainLinks - 1);
  const olderCount = Math.min(before ?? (isOpen ? AROUND_OLDER : 0), LIMITS.chainLinks - 1 - newerCount);
  const [newer, older] = await Promise.all([
    run(store, link.fileId, { gt: link.number }, 'asc', newerCount),
    run(store, link.fileId, { lt: link.number }, 'desc', olderCount),
  ]);
  return [...newer.reverse(), link, ...older];
}

/** Both included, in whichever order they are named; an end that is not named is the chain's. */
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
  const link = await viewOf<LinkView>(store, VIEWS.links, id);
  if (link?.fileId !== fileId) throw new ApiError('NOT_FOUND', 'The chain has no such link.');
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
  return found as unknown as LinkView[];
}

/** @param beyond whether the whole chain lies on that side when no link was asked for */
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
    type: shownType(link.kind, alert, isNewest),
    length,
    timestamp: iso(link.timestamp),
    linkHash,
    bsvId: anchor.txid,
    anchor: { state, batch, confirmations },
    alerts: alert === undefined ? [] : [{ id: alert.id, type: alert.type, status: alert.status }],
  };
}

function shownType(kind: LinkView['kind'], alert: AlertView | undefined, isNewest: boolean): Link['type'] {
  if (kind !== 'BREAK') return isNewest ? 'END' : kind;
  return alert !== undefined && alert.status !== 'ACTIVE' ? 'OVERRIDEN' : 'BREAK';
}
