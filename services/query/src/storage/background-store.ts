import { FairTurns, storeInTurns, type DocumentStore } from '@sentinel-node/platform';

/** Limits of the calls that background work makes to the store. */
export const BACKGROUND_CALLS = {
  /**
   * The most calls at once: a third of the connections to the store. Reads of people have a half (`READ_LIMITS`), and the
   * rest is left for commands and sign-ins.
   */
  atOnce: 8,
  /** The most waiting calls of one group: more than senders and partitions make. */
  waiting: 2_000,
  waitMs: 30_000,
} as const;

/** The store for background work that a storm of alerts keeps busy. */
export interface BackgroundStores {
  /** For the notices and webhooks of one organisation. */
  readonly of: (orgId: string) => DocumentStore;
  /** For what the notifier does for several organisations at once. */
  readonly notifier: DocumentStore;
  /** For mailboxes, which are written together. */
  readonly mailboxes: DocumentStore;
  /** Number of calls under way. */
  readonly used: number;
}

/**
 * Shares turns at the store, so that no organisation waits for the notices of another one.
 * @pool background-calls
 */
export function backgroundStores(store: DocumentStore): BackgroundStores {
  const { atOnce: whole, waiting, waitMs } = BACKGROUND_CALLS;
  const turns = new FairTurns({ unit: 'calls of background work', whole, waiting, waitMs });
  return {
    of: (orgId) => storeInTurns(store, turns, orgId),
    notifier: storeInTurns(store, turns, 'notifier'),
    mailboxes: storeInTurns(store, turns, 'mailboxes'),
    get used() {
      return turns.used;
    },
  };
}
