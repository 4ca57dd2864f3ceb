import {
  batchId,
  compareBatch,
  ledgerDifference,
  OWN_COLLECTIONS,
  loggedDifference,
  type TransactionDocument,
} from '@sentinel-node/anchoring';
import { equalBytes, toHex, type Checkpoint, type Cut, type SealTip } from '@sentinel-node/contracts';
import type { CollectionName, DocumentStore, Ledger, Stored } from '@sentinel-node/platform';
import type { Findings } from './finding.ts';
import type { Patience } from './wait-past.ts';

const { cuts, transactions } = OWN_COLLECTIONS;
/** Batches between two lines of progress. */
const PROGRESS_BATCHES = 1_000;

/** A checkpoint kept elsewhere. */
export type KeptCheckpoint = Pick<Checkpoint, 'root' | 'size'>;

export interface AnchorChecksDeps {
  readonly store: DocumentStore;
  readonly ledger: Pick<Ledger, 'forgets' | 'header' | 'height' | 'status'>;
  readonly logId: Uint8Array;
  readonly checkpoint: KeptCheckpoint | undefined;
  readonly findings: Findings;
  readonly patience: Pick<Patience, 'isLive' | 'writeLine'>;
}

export interface ComparedTransactions {
  readonly compared: number;
  /** Of these, not deep enough yet for the ledger's answer to count as final. */
  readonly unsettled: number;
}

/** Compares the batches of the log with their signed transactions, the ledger and a kept checkpoint. */
export class AnchorChecks {
  readonly #deps: AnchorChecksDeps;
  #before: SealTip | undefined;
  /** The first batch without a transaction: no later batch may have one. */
  #open: number | undefined;
  #compared = 0;
  #unsettled = 0;

  constructor(deps: AnchorChecksDeps) {
    this.#deps = deps;
  }

  /** @param logRoot root of the log that ends with the batch */
  async take(cut: Cut, logRoot: Uint8Array): Promise<void> {
    const { checkpoint, findings, patience } = this.#deps;
    const { batch } = cut;
    if (checkpoint?.size === batch + 1 && !equalBytes(checkpoint.root, logRoot))
      findings.contradict(batch, 'the log up to it is another one than that of the kept checkpoint');
    const recorded = await this.#read(cuts.name, batch);
    if (recorded === undefined) findings.contradict(batch, 'the log has a cut of it that the store has not');
    else if (recorded.cut.headerHash !== cut.headerHash)
      findings.contradict(batch, 'the store has another cut of it than the log');
    const document = await this.#read(transactions.name, batch);
    if (document === undefined) this.#open ??= batch;
    else await this.#compare(cut, logRoot, document);
    if ((batch + 1) % PROGRESS_BATCHES === 0) patience.writeLine(`${batch + 1} batches compared`);
  }

  /** Compares a transaction that the log has. @param txid hex, as explorers show it */
  async recorded(batch: number, txid: string): Promise<void> {
    const difference = await loggedDifference(this.#deps, batch, txid);
    if (difference !== undefined) this.#deps.findings.contradict(batch, difference);
  }

  /** @param batches number of batches in the log */
  async end(batches: number): Promise<ComparedTransactions> {
    const { checkpoint, findings } = this.#deps;
    if (checkpoint !== undefined && checkpoint.size > batches && !(await this.#isUnpublished(checkpoint)))
      findings.contradict(
        batches,
        `the kept checkpoint is of ${checkpoint.size} batches, the log has ${batches}`,
      );
    await this.#compareNewest(batches);
    return { compared: this.#compared, unsettled: this.#unsettled };
  }

  /**
   * Compares the store's newest cut and transaction with the end of the log: without this the store could have batches
   * that the log lost. Only of a stopped system, because a running one goes on.
   */
  async #compareNewest(batches: number): Promise<void> {
    const { findings, patience, store } = this.#deps;
    if (patience.isLive) return;
    const newest = { sort: { field: 'id', direction: 'desc' }, limit: 1 } as const;
    const [cut] = await store.find(cuts.name, newest);
    if (cut !== undefined && cut.cut.batch >= batches && cut.unpublished === undefined)
      findings.contradict(cut.cut.batch, 'the store has a published cut of it that the log has not');
    const [transaction] = await store.find(transactions.name, newest);
    if (transaction !== undefined && (await this.#read(cuts.name, transaction.batch)) === undefined)
      findings.contradict(transaction.batch, 'it has a transaction and no cut');
  }

  /**
   * Returns whether the checkpoint's cut is not published yet: a checkpoint is served as soon as its cut is recorded;
   * if the process then ends, the cut is published later.
   */
  async #isUnpublished({ root, size }: KeptCheckpoint): Promise<boolean> {
    const recorded = await this.#read(cuts.name, size - 1);
    return recorded?.unpublished === 1 && recorded.cut.logRoot === toHex(root);
  }

  async #compare(cut: Cut, logRoot: Uint8Array, document: TransactionDocument): Promise<void> {
    const { findings, ledger, logId } = this.#deps;
    const { batch } = cut;
    // A running system may have anchored both batches since the first read.
    if (this.#open !== undefined && (await this.#read(transactions.name, this.#open)) === undefined)
      findings.contradict(this.#open, 'it has no transaction, and a later batch has one');
    const { difference, tip } = compareBatch({ logId, cut, logRoot, document, before: this.#before });
    this.#before = tip;
    this.#compared += 1;
    if (document.open === 1) this.#unsettled += 1;
    const what = difference ?? (await ledgerDifference(document, ledger));
    if (what !== undefined) findings.contradict(batch, what);
  }

  #read<T extends Stored>(collection: CollectionName<T>, batch: number): Promise<T | undefined> {
    return this.#deps.store.get(collection, batchId(batch));
  }
}
