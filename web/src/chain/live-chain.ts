/** Updates a shown chain from the live stream. */
import { AlertSchema, ANCHOR_STATES, type AnchorState, HANDLED_STATUSES } from '@sentinel-node/contracts';
import type { Alert, ChainEntry, Link, Links } from '../answers.ts';
import { isOneOf } from '../narrow.ts';
import type { LiveItem } from '../state/live.ts';
import { liveObject } from '../state/live-object.ts';
import { RELOAD } from '../state/use-resource.ts';

export interface Chain extends Links {
  /** Highest known number of a link or another entry. */
  head: number;
}

export const chainOf = (links: Links, told: number): Chain => ({
  ...links,
  head: Math.max(told, links.links[0]?.number ?? -1, links.entries?.[0]?.number ?? -1),
});

/** Returns the number of this file's newest entry from a live item; -1 for other items. */
export function numberOf(fileId: string, { kind, data }: LiveItem): number {
  const { id, number } = data;
  return kind === 'file' && id === fileId && typeof number === 'number' ? number : -1;
}

export function applyToChain(chain: Chain, item: LiveItem): Chain | typeof RELOAD {
  if (item.kind === 'alert') {
    const alert = liveObject(AlertSchema, item);
    return alert === null ? chain : withLinks(chain, (link) => withAlert(link, alert));
  }
  if (item.kind !== 'anchor') return chain;
  const anchor = anchorOf(item.data);
  // The item does not name the links of a batch: it may cover the links without a batch.
  const known = [...chain.links, ...(chain.entries ?? [])];
  if (anchor === null || known.some((entry) => entry.anchor.batch === null)) return RELOAD;
  const settle = <T extends Link | ChainEntry>(entry: T): T =>
    entry.anchor.batch === anchor.batch ? { ...entry, ...anchored(anchor) } : entry;
  return withEntries(withLinks(chain, settle), settle);
}

function withLinks(chain: Chain, change: (link: Link) => Link): Chain {
  const links = chain.links.map(change);
  return links.some((link, at) => link !== chain.links[at]) ? { ...chain, links } : chain;
}

function withEntries(chain: Chain, change: (entry: ChainEntry) => ChainEntry): Chain {
  const held = chain.entries ?? [];
  const entries = held.map(change);
  return entries.some((entry, at) => entry !== held[at]) ? { ...chain, entries } : chain;
}

function withAlert(link: Link, { id, status, type }: Alert): Link {
  if (!link.alerts.some((alert) => alert.id === id && alert.status !== status)) return link;
  const isOverridden = link.type === 'BREAK' && isOneOf(HANDLED_STATUSES, status);
  const alerts = link.alerts.map((alert) => (alert.id === id ? { id, status, type } : alert));
  return { ...link, alerts, type: isOverridden ? 'OVERRIDEN' : link.type };
}

interface Anchor {
  batch: number;
  state: AnchorState;
  bsvId: string | null;
  confirmations: number;
}

function anchorOf({ batch, state, bsvId, confirmations }: Record<string, unknown>): Anchor | null {
  if (typeof batch !== 'number' || typeof confirmations !== 'number' || !isOneOf(ANCHOR_STATES, state))
    return null;
  return { batch, state, confirmations, bsvId: typeof bsvId === 'string' ? bsvId : null };
}

const anchored = ({ batch, state, bsvId, confirmations }: Anchor): Pick<Link, 'anchor' | 'bsvId'> => ({
  anchor: { state, batch, confirmations },
  bsvId,
});
