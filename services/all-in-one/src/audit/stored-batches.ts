import { batchId, batchOfId, OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import type { CollectionName, DocumentStore, Stored } from '@sentinel-node/platform';
import type { Findings } from './finding.ts';

const { anchors, cuts, transactions } = OWN_COLLECTIONS;

/** Documents of one collection that has a document a batch, by their ids. */
interface Walked {
  /** @boundedBy the number of batches */
  readonly batches: ReadonlySet<number>;
  /** Ids that no batch has. Only somebody who writes the store puts these in: as many as that person has put in. */
  readonly others: readonly string[];
}

/**
 * Ids of all documents that anchoring keeps of batches. A document of no batch is read by nobody today, and may be by a list, a count
 * or the next version; one that sorts after the others would be taken for the newest.
 */
export class StoredBatches {
  readonly #walked: ReadonlyMap<string, Walked>;

  private constructor(walked: ReadonlyMap<string, Walked>) {
    this.#walked = walked;
  }

  /** Reads all ids. The cuts come last: each batch has its cut before it has anything else. */
  static async read(store: DocumentStore): Promise<StoredBatches> {
    const walked = new Map<string, Walked>();
    for (const { name } of [anchors, transactions, cuts])
      walked.set(name, await walk(store, name as CollectionName<Stored>));
    return new StoredBatches(walked);
  }

  /** Returns the highest number of a batch of the collection; undefined without one. */
  newest(collection: string): number | undefined {
    const numbers = this.#of(collection).batches;
    return numbers.size === 0 ? undefined : [...numbers].reduce((a, b) => Math.max(a, b));
  }

  /**
   * Names the documents that are of no batch. A batch is one that the log has, or of which the store has a cut: whether the log must
   * have that cut is compared apart. @param logged number of batches in the log
   */
  check(logged: number, findings: Findings): void {
    const newest = this.newest(cuts.name) ?? -1;
    for (const [name, { batches, others }] of this.#walked) {
      const strays = [...batches].filter((batch) => batch >= logged && !this.#isOfCut(name, batch, newest));
      for (const id of [...others, ...strays.map(batchId)])
        findings.add('anchors', `${name} ${id}: it is of no batch of the log`);
    }
  }

  /** Of the cuts after the log, one alone can be told apart: the newest, which may still be published. */
  #isOfCut(collection: string, batch: number, newest: number): boolean {
    return collection === cuts.name ? batch === newest : this.#of(cuts.name).batches.has(batch);
  }

  #of(collection: string): Walked {
    return this.#walked.get(collection)!;
  }
}

async function walk(store: DocumentStore, collection: CollectionName<Stored>): Promise<Walked> {
  const batches = new Set<number>();
  const others: string[] = [];
  for await (const page of store.scan(collection))
    for (const { id } of page) {
      const batch = batchOfId(id);
      if (batch === undefined) others.push(id);
      else batches.add(batch);
    }
  return { batches, others };
}
