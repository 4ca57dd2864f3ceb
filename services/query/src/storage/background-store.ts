import { FairTurns, storeInTurns, type DocumentStore } from '@sentinel-node/platform';

/** Limits of the calls that background work makes to the store. */
export const BACKGROUND_CALLS = {
  /** The most calls at once: half of the connections to the store. The other half is for the calls of people. */
  atOnce: 12,
  /** The most waiting calls of one group: more than senders and partitions make. */
  waiting: 2_000,
  waitMs: 30_000,
} as const;

/** The store for the parts of background work that a storm of alerts keeps busy. */
export interface BackgroundStores {
  readonly notifier: DocumentStore;
  readonly webhooks: DocumentStore;
  /** Number of calls under way. */
  readonly used: number;
}

/**
 * Shares turns at the store between notifier and webhooks.
 * @pool background-calls
 */
export function backgroundStores(store: DocumentStore): BackgroundStores {
  const { atOnce: whole, waiting, waitMs } = BACKGROUND_CALLS;
  const turns = new FairTurns({ unit: 'calls of background work', whole, waiting, waitMs });
  return {
    notifier: storeInTurns(store, turns, 'notifier'),
    webhooks: storeInTurns(store, turns, 'webhooks'),
    get used() {
      return turns.used;
    },
  };
}
