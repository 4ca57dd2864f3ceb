/** Documents that must reach the log: written with the decision, published by their writer, leftovers by a sweep. */
import type { CollectionName, DocumentStore, IndexSpec, Query } from '../ports/document-store.ts';
import { ConflictError, PortError } from '../ports/errors.ts';

/** Fields that a document of an outbox collection has. */
export interface OutboxEntry {
  readonly id: string;
  readonly rev: number;
  /** Milliseconds since the Unix epoch of the decision; leftovers are published in this order. */
  readonly at: number;
  /** Removed when published, so that the sparse index holds only what is still to do. */
  readonly unpublished?: 1;
}

/** An outbox collection declares this index. */
export const OUTBOX_INDEX: IndexSpec = { fields: ['unpublished', 'at'], sparse: true };

export interface OutboxOptions<T extends OutboxEntry> {
  readonly store: DocumentStore;
  readonly collection: CollectionName<T>;
  /** Resolves when everything that follows from the entry is durable. Duplicates must be harmless. */
  readonly publish: (entry: T) => Promise<void>;
  /** A passing failure (PortError); the entry stays for the next sweep. */
  readonly onDelayed?: (entry: T, error: PortError) => void;
}

/** Entries that one look for leftovers reads. */
const SWEEP_PAGE = 100;

/** Conditions on both fields of the sparse index, so that an adapter knows it holds every document in question. */
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
   * Publishes an entry and remembers it. False when a port could not take it now: it stays for the sweep.
   * @throws what `publish` throws, unless it is a PortError
   */
  async publish(entry: T): Promise<boolean> {
    try {
      await this.#options.publish(entry);
      await this.#markPublished(entry);
      return true;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.#options.onDelayed?.(entry, error);
      return false;
    }
  }

  /**
   * Publishes leftovers, oldest first, and returns how many; stops at the first that a port cannot take now.
   * @param before only entries decided before this time (ms), so that a writer at work is left alone; absent: all
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

  async #markPublished(entry: T): Promise<void> {
    const { store, collection } = this.#options;
    const published = { ...entry, rev: entry.rev + 1, unpublished: undefined };
    try {
      await store.update(collection, published, entry.rev);
    } catch (error) {
      // Somebody else published the same entry meanwhile and has marked it.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
