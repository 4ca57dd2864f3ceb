/** How a chain that is shown follows the live stream. */
import {
  AlertSchema,
  ANCHOR_STATES,
  type Alert,
  type AnchorState,
  type Link,
  type Links,
} from '@sentinel-node/contracts';
import type { LiveItem } from './live.ts';
import { liveObject } from './live-object.ts';
import { RELOAD } from './use-resource.ts';

export interface Chain extends Links {
  /** The highest number that is accounted for: of the links, or of entries that are no links. */
  head: number;
}

export const chainOf = (links: Links, told: number): Chain => ({
  ...links,
  head: Math.max(told, links.links[0]?.number ?? -1),
});

/** The number of the newest entry of this file's chain, when the item tells of it; -1 otherwise. */
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
  // Which links a batch covers is not told: it may be those that are in none yet.
  if (anchor === null || chain.links.some((link) => link.anchor.batch === null)) return RELOAD;
  return withLinks(chain, (link) =>
    link.anchor.batch === anchor.batch ? { ...link, ...anchored(anchor) } : link,
  );
}

function withLinks(chain: Chain, change: (link: Link) => Link): Chain {
  const links = chain.links.map(change);
  return links.some((link, at) => link !== chain.links[at]) ? { ...chain, links } : chain;
}

function withAlert(link: Link, { id, status, type }: Alert): Link {
  if (!link.alerts.some((alert) => alert.id === id && alert.status !== status)) return link;
  const isOverridden = link.type === 'BREAK' && status !== 'ACTIVE';
  const alerts = link.alerts.map((alert) => (alert.id === id ? { id, status, type } : alert));
  return { ...link, alerts, type: isOverridden ? 'OVERRIDEN' : link.type };
}

interface Anchor {
  batch: number;
  state: AnchorState;
  bsvId: string | null;
  confirmations: number;
}

const isState = (value: unknown): value is AnchorState =>
  (ANCHOR_STATES as readonly unknown[]).includes(value);

function anchorOf({ batch, state, bsvId, confirmations }: Record<string, unknown>): Anchor | null {
  if (typeof batch !== 'number' || typeof confirmations !== 'number' || !isState(state)) return null;
  return { batch, state, confirmations, bsvId: typeof bsvId === 'string' ? bsvId : null };
}

const anchored = ({ batch, state, bsvId, confirmations }: Anchor): Pick<Link, 'anchor' | 'bsvId'> => ({
  anchor: { state, batch, confirmations },
  bsvId,
});
