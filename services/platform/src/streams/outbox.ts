/**
 * Documents that must reach the log: written together with the decision and published by their writer; a sweep
 * publishes leftovers.
 */
import type { CollectionName, DocumentStore, IndexSpec, Query } from '../ports/document-store.ts';
import { ConflictError, PortError } from '../ports/errors.ts';
import { UnpublishableError } from './unpublishable-error.ts';

/** Fields of every document in an outbox collection. */
export interface OutboxEntry {
  readonly id: string;
  readonly rev: number;
  /** Time of the decision in milliseconds since the Unix epoch; leftovers are published in this order. */
  readonly at: number;
  /** Removed when published, so that the sparse index holds only unpublished documents. */
  readonly unpublished?: 1;
}

/** Index that every outbox collection declares. */
export const OUTBOX_INDEX: IndexSpec = { fields: ['unpublished', 'at'], sparse: true };

export interface OutboxOptions<T extends OutboxEntry> {
  readonly store: DocumentStore;
  readonly collection: CollectionName<T>;
  /** Resolves when all consequences of the entry are durable. Duplicates must be harmless. */
  readonly publish: (entry: T) => Promise<void>;
  /** Returns what of an entry is not in the form of one: whatever is on the log stays there. Undefined for one in order. */
  readonly faultOf: (entry: T) => string | undefined;
  /**
   * Returns the ids of the entries that have to be published before this one, newest first. Whoever publishes an entry
   * publishes the unpublished ones among them first, so that their first deliveries are in order. Default: none
   */
  readonly earlierIds?: (entry: T) => Iterable<string>;
  /** Called after a passing failure (PortError); the entry stays for the next sweep. */
  readonly onDelayed?: (entry: T, error: PortError) => void;
}

/** Entries that one query for leftovers reads. */
const SWEEP_PAGE = 100;

/**
 * Returns the query for leftovers. It has conditions on both fields of the sparse index, so that an adapter knows that
 * the index holds every matching document.
 */
export function leftovers(before: number): Query {
  return {
    where: { unpublished: 1, at: { lt: before } },
    sort: { field: 'at', direction: 'asc' },
    limit: SWEEP_PAGE,
  };
}

export class Outbox<T extends OutboxEntry> {
  readonly #options: OutboxOptions<T>;
  constructor(options: OutboxOptions<T>) {
    this.#options = options;
  }

  /**
   * Publishes an entry, after unpublished earlier ones, and marks it as published.
   * @returns false when a port is not available now, or was not for an earlier entry; the entry stays for the sweep
   * @throws errors of `publish` other than PortError @throws UnpublishableError
   */
  async publish(entry: T): Promise<boolean> {
    try {
      await this.#publishEarlier(entry);
      await this.#publishAlone(entry);
      return true;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.#options.onDelayed?.(entry, error);
      return false;
    }
  }

  /**
   * Publishes leftovers, oldest first, and returns how many; stops at the first that a port cannot accept now.
   * @param before only entries decided before this time (ms), so that an active writer is left alone. Default: all
   */
  async sweep(before = Number.MAX_SAFE_INTEGER): Promise<number> {
    const { store, collection } = this.#options;
    for (let published = 0; ;) {
      const entries = await store.find(collection, leftovers(before));
      for (const entry of entries) {
        if (!(await this.publish(entry))) return published;
        published++;
      }
      if (entries.length < SWEEP_PAGE) return published;
    }
  }

  /** Looks back only as far as entries are unpublished: those before a published entry were published before it. */
  async #publishEarlier(entry: T): Promise<void> {
    const { store, collection, earlierIds } = this.#options;
    const waiting: string[] = [];
    for (const id of earlierIds?.(entry) ?? []) {
      if ((await store.count(collection, { id, unpublished: 1 })) === 0) break;
      waiting.push(id);
    }
    for (const id of waiting.reverse()) {
      const earlier = await store.get(collection, id);
      if (earlier?.unpublished === 1) await this.#publishAlone(earlier);
    }
  }

  async #publishAlone(entry: T): Promise<void> {
    const { collection, faultOf, publish } = this.#options;
    const fault = faultOf(entry);
    if (fault !== undefined) throw new UnpublishableError(collection, entry.id, fault);
    await publish(entry);
    await this.#markPublished(entry);
  }

  async #markPublished(entry: T): Promise<void> {
    const { store, collection } = this.#options;
    const published = { ...entry, rev: entry.rev + 1, unpublished: undefined };
    try {
      await store.update(collection, published, entry.rev);
    } catch (error) {
      // Another process published the same entry meanwhile and has marked it.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
