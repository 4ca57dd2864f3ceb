/** Reads of single documents by id: while several are under way, later ones share the next command. */
import type { StoredDocument } from './encode.ts';
import type { StoredCollection } from './writes.ts';

/** Commands of one collection at a time. A read that comes later waits for the next command. */
const COMMANDS = 2;
/** Ids of one command. */
const IDS = 100;

interface Batch {
  readonly ids: Set<string>;
  readonly answer: Promise<ReadonlyMap<string, StoredDocument>>;
}

interface Reads {
  running: number;
  /** Starts of the commands that wait for one to end. */
  readonly waiting: (() => void)[];
  /** The command that has not started yet and takes further ids. */
  open: Batch | undefined;
}

/**
 * A command starts after the reads that it answers were asked, so that each sees every write that resolved before.
 * @boundedBy the collections, and the pending calls
 */
export class CoalescedGets {
  readonly #reads = new Map<string, Reads>();

  async get(documents: StoredCollection, id: string): Promise<StoredDocument | undefined> {
    const reads = this.#readsOf(documents.collectionName);
    if (reads.open === undefined || reads.open.ids.size >= IDS) reads.open = newBatch(documents, reads);
    reads.open.ids.add(id);
    return (await reads.open.answer).get(id);
  }

  #readsOf(collection: string): Reads {
    let reads = this.#reads.get(collection);
    if (reads === undefined)
      this.#reads.set(collection, (reads = { running: 0, waiting: [], open: undefined }));
    return reads;
  }
}

function newBatch(documents: StoredCollection, reads: Reads): Batch {
  const ids = new Set<string>();
  const answer = turn(reads).then(async () => {
    if (reads.open?.ids === ids) reads.open = undefined;
    try {
      return await read(documents, [...ids]);
    } finally {
      const next = reads.waiting.shift();
      if (next === undefined) reads.running--;
      else next();
    }
  });
  return { ids, answer };
}

async function turn(reads: Reads): Promise<void> {
  if (reads.running < COMMANDS) reads.running++;
  else await new Promise<void>((resolve) => reads.waiting.push(resolve));
}

async function read(
  documents: StoredCollection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredDocument>> {
  const filter = { _id: ids.length === 1 ? ids[0]! : { $in: [...ids] } };
  const found = await documents.find(filter, { batchSize: ids.length + 1 }).toArray();
  return new Map(found.map((document) => [document._id, document]));
}
