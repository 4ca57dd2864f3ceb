/** Compares the records with the signed transactions and the ledger at each start, before new anchors follow them. */
import { fromHex, TOPICS, type AnchorRecord } from '@sentinel-node/contracts';
import {
  newestOf,
  type DocumentStore,
  type EventLog,
  type Ledger,
  type Random,
  type Stored,
} from '@sentinel-node/platform';
import {
  batchId,
  batchOfId,
  OWN_COLLECTIONS,
  type CutDocument,
  type TransactionDocument,
} from '../collections.ts';
import { compareBatch, cutDifference, tipOf } from './compare-batch.ts';
import { ledgerDifference } from './compare-ledger.ts';
import { chosenBatches } from '../domain/chosen-batches.ts';

const { cuts, operations, transactions } = OWN_COLLECTIONS;
/** Newest records of the log that are searched for cuts and transactions that the store has lost. */
const NEWEST_RECORDS = 1_000;

export interface Contradiction {
  readonly batch: number;
  /** Text for a person. */
  readonly what: string;
}

export interface StartComparisonDeps {
  readonly store: DocumentStore;
  readonly eventLog: Pick<EventLog, 'bounds' | 'read'>;
  readonly ledger: Ledger;
  readonly logId: Uint8Array;
  readonly random: Random;
  readonly yieldTurn: () => Promise<void>;
}

/** @boundedBy the batches that a start compares */
export class StartComparison {
  readonly #deps: StartComparisonDeps;
  /** Numbers of the batches to compare, in ascending order. */
  #chosen: readonly number[] = [];

  constructor(deps: StartComparisonDeps) {
    this.#deps = deps;
  }

  /**
   * Compares the stored data only.
   * @param again batches that contradicted at an earlier start
   * @returns the first batch with a contradiction
   */
  async stored(again: readonly number[] = []): Promise<Contradiction | undefined> {
    const { random, store, yieldTurn } = this.#deps;
    // Read the log before the store: cuts and transactions are stored before they are logged.
    const logged = await newestOfLog(this.#deps.eventLog);
    const [cut, transaction] = [await newestOf(store, cuts.name), await newestOf(store, transactions.name)];
    // Anchoring would go on from these. The audit names other documents of no batch.
    const what = strayWords(cuts.name, cut) ?? strayWords(transactions.name, transaction);
    if (what !== undefined) return { batch: Math.max(logged.cut, 0), what };
    const [newest, anchored] = [batchOf(cut), batchOf(transaction)];
    if (anchored > newest) return { batch: anchored, what: 'it has a transaction and no cut' };
    if (logged.transaction > anchored)
      return { batch: anchored + 1, what: 'the log has a transaction of it that the store has not' };
    // Its checkpoint was published. Another cut in its place would be a second one of that size, without its entries.
    if (logged.cut > newest)
      return { batch: newest + 1, what: 'the log has a cut of it that the store has not' };
    const told = await this.#toldOf(newest);
    this.#chosen = chosenBatches(newest, () => random.bytes(6), [...again, ...told]);
    for (const batch of this.#chosen) {
      const what = await this.#difference(batch, anchored);
      if (what !== undefined) return { batch, what };
      await yieldTurn();
    }
    return undefined;
  }

  /** Compares the same batches with the ledger. @throws LedgerUnavailableError */
  async onLedger(): Promise<Contradiction | undefined> {
    for (const batch of this.#chosen) {
      const document = await this.#transaction(batch);
      const what = document === undefined ? undefined : await ledgerDifference(document, this.#deps.ledger);
      if (what !== undefined) return { batch, what };
    }
    return undefined;
  }

  async #difference(batch: number, anchored: number): Promise<string | undefined> {
    const [cut, cutBefore, document, documentBefore] = await Promise.all([
      this.#cut(batch),
      this.#cut(batch - 1),
      this.#transaction(batch),
      this.#transaction(batch - 1),
    ]);
    if (cut === undefined || (cutBefore === undefined && batch > 0))
      return 'its cut, or the one before, is missing';
    const difference = cutDifference(cut, cutBefore);
    if (difference !== undefined || batch > anchored) return difference;
    const before = documentBefore === undefined ? undefined : tipOf(documentBefore, cutBefore!);
    if (document === undefined || (before === undefined && batch > 0))
      return 'its signed transaction, or the one before, is missing';
    const { logId } = this.#deps;
    const logRoot = fromHex(cut.cut.logRoot);
    return compareBatch({ logId, cut: cut.cut, logRoot, document, before }).difference;
  }

  /** Returns the batch that organisations were last told of, unless the log ends before it: an audit found it too. */
  async #toldOf(newest: number): Promise<number[]> {
    const evidence = await this.#deps.store.get(operations.name, 'evidence');
    const batch = evidence?.record.batch ?? newest + 1;
    return batch > newest ? [] : [batch];
  }

  async #cut(batch: number): Promise<CutDocument | undefined> {
    return await this.#deps.store.get(cuts.name, batchId(batch));
  }

  async #transaction(batch: number): Promise<TransactionDocument | undefined> {
    return await this.#deps.store.get(transactions.name, batchId(batch));
  }
}

/** Returns the batch of a document; -1 without one. */
const batchOf = (document: Stored | undefined): number =>
  document === undefined ? -1 : batchOfId(document.id)!;

/** Returns a text for a person about the last document of a collection when it is of no batch. */
function strayWords(collection: string, document: Stored | undefined): string | undefined {
  if (document === undefined || batchOfId(document.id) !== undefined) return undefined;
  return `after it the store has the document ${document.id} of ${collection}, which is of no batch`;
}

interface NewestOfLog {
  readonly cut: number;
  readonly transaction: number;
}

/** Returns the newest batch, and the newest with a transaction, among the newest records of the log; -1 without one. */
async function newestOfLog(eventLog: Pick<EventLog, 'bounds' | 'read'>): Promise<NewestOfLog> {
  let found: NewestOfLog = { cut: -1, transaction: -1 };
  for (const { partition, start, end } of await eventLog.bounds(TOPICS.anchors)) {
    const from = Math.max(start, end - NEWEST_RECORDS);
    for await (const { records } of eventLog.read(TOPICS.anchors, partition, from, end))
      for (const { body } of records) found = newerOf(found, body);
  }
  return found;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Passes over what is no record of a batch, which the audit reports. */
function newerOf(found: NewestOfLog, body: Uint8Array): NewestOfLog {
  try {
    const { batch, transaction }: AnchorRecord = JSON.parse(decoder.decode(body));
    if (!Number.isSafeInteger(batch)) return found;
    const cut = Math.max(found.cut, batch);
    return transaction === null
      ? { ...found, cut }
      : { cut, transaction: Math.max(found.transaction, batch) };
  } catch {
    return found;
  }
}
