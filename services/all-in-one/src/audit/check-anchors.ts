import {
  batchId,
  compareBatch,
  cutForm,
  OWN_COLLECTIONS,
  loggedDifference,
  shownByLedger,
  transactionForm,
  type AuditedLedger,
  type CutDocument,
  type ShownTransaction,
  type TransactionDocument,
} from '@sentinel-node/anchoring';
import { CutSchema, equalBytes, type Checkpoint, type Cut, type SealTip } from '@sentinel-node/contracts';
import {
  compileChecker,
  LedgerUnavailableError,
  type Checker,
  type CollectionName,
  type DocumentStore,
  type Stored,
} from '@sentinel-node/platform';
import { shownOf, type LoggedCut, type RecordedBatch } from './check-batches.ts';
import { differingFields } from './differing-fields.ts';
import { digestOf } from './digest.ts';
import type { Findings } from './finding.ts';
import { formFault, type Members } from './form-fault.ts';
import { StoredBatches } from './stored-batches.ts';
import { UnanchoredBatches } from './unanchored.ts';
import type { Patience } from './wait-past.ts';

const { anchors, cuts, transactions } = OWN_COLLECTIONS;
const CUT_MEMBERS: Members<CutDocument> = {
  ...{ id: true, rev: true, unpublished: true, cut: true, log: true, next: true },
};
const TRANSACTION_MEMBERS: Members<TransactionDocument> = {
  ...{
    id: true,
    rev: true,
    at: true,
    unpublished: true,
    open: true,
    funded: true,
    network: true,
    batch: true,
  },
  ...{ consolidation: true, consolidating: true, resume: true, resumes: true, setAside: true, words: true },
  ...{ replaced: true, rawTx: true, extendedTx: true, inputs: true, funds: true, fee: true, record: true },
};
const cutChecker = compileChecker(CutSchema);
/** Batches between two lines of progress. */
const PROGRESS_BATCHES = 1_000;

/** A checkpoint kept elsewhere. */
export type KeptCheckpoint = Pick<Checkpoint, 'root' | 'size'>;

export interface AnchorChecksDeps {
  readonly store: DocumentStore;
  readonly ledger: AuditedLedger;
  readonly logId: Uint8Array;
  readonly checkpoint: KeptCheckpoint | undefined;
  readonly findings: Findings;
  readonly patience: Pick<Patience, 'isLive' | 'writeLine'>;
}

export interface ComparedTransactions {
  readonly compared: number;
  /** Of these, in a block, but not deep enough yet for the ledger's answer to count as final. */
  readonly unsettled: number;
  readonly unanchored: UnanchoredBatches;
}

/** Compares the batches of the log with their signed transactions, the ledger and a kept checkpoint. */
export class AnchorChecks {
  readonly #deps: AnchorChecksDeps;
  /** Batches that the store had when the comparison began. */
  readonly #stored: StoredBatches;
  /** Number of batches whose cut was published then. */
  readonly #published: number;
  /** The newest cut of then, if it was not. */
  readonly waiting: Cut | undefined;
  readonly #unanchored = new UnanchoredBatches();
  #before: SealTip | undefined;
  /** The first batch without a transaction: no later batch may have one. */
  #open: number | undefined;
  #isOpenTold = false;
  #compared = 0;
  /** The first batch that could not be compared with the ledger, and the number of all. */
  #notCompared: { readonly batch: number; readonly why: string; count: number } | undefined;
  #unsettled = 0;
  /** The first transaction of another ledger than the configured one. */
  #foreign: { readonly batch: number; readonly network: string } | undefined;

  private constructor(deps: AnchorChecksDeps, stored: StoredBatches, newest: CutDocument | undefined) {
    this.#deps = deps;
    this.#stored = stored;
    // The next cut is made only after the last one is published.
    const isWaiting = newest?.unpublished !== undefined;
    this.#published = (stored.newest(cuts.name) ?? -1) + (isWaiting ? 0 : 1);
    if (!isWaiting) return;
    const { cut, id } = newest;
    if (cutChecker.check(cut) && batchId(cut.batch) === id) this.waiting = cut;
    else deps.findings.add('anchors', `cuts ${id}: it waits to be published, and has no cut of its batch`);
  }

  /** Begins a comparison. Call it before the log is read: what the store has then must be in the log. */
  static async begin(deps: AnchorChecksDeps): Promise<AnchorChecks> {
    const { store } = deps;
    await store.ensure([anchors, cuts, transactions]);
    const stored = await StoredBatches.read(store);
    return new AnchorChecks(
      deps,
      stored,
      await store.get(cuts.name, batchId(stored.newest(cuts.name) ?? -1)),
    );
  }

  /** @param logRoot root of the log that ends with the batch */
  async take(logged: LoggedCut, logRoot: Uint8Array): Promise<void> {
    const { checkpoint, findings, patience } = this.#deps;
    const { cut } = logged;
    const { batch } = cut;
    if (checkpoint?.size === batch + 1 && !equalBytes(checkpoint.root, logRoot))
      findings.contradict(batch, 'the log up to it is another one than that of the kept checkpoint');
    await this.#compareCut(logged);
    const document = await this.#read(transactions.name, batch);
    if (document === undefined) this.#open ??= batch;
    const isInBlock = document !== undefined && (await this.#compare(cut, logRoot, document));
    this.#unanchored.add(cut.closedAt, document, isInBlock);
    if ((batch + 1) % PROGRESS_BATCHES === 0) patience.writeLine(`${batch + 1} batches compared`);
  }

  /** Compares what the log has of a batch besides its cut: each transaction, and the newest record. */
  async recorded(batch: number, { digest, rev, shown, txids }: RecordedBatch): Promise<void> {
    const { findings } = this.#deps;
    const document = await this.#read(transactions.name, batch);
    // Told by `take`.
    if (document !== undefined && !transactionForm.check(document)) return;
    const isReplaced = txids.some((txid) => txid !== document?.record.transaction?.txid);
    if (isReplaced && !(await this.#hasFormsAround(batch))) return;
    for (const txid of txids) {
      const difference = await loggedDifference(this.#deps, batch, txid);
      if (difference !== undefined) findings.contradict(batch, difference);
    }
    if (document === undefined) return this.#compareShown(batch, { rev, shown }, document);
    const { record } = document;
    // What is to be published is found by its time, which is that of its record.
    const fault =
      document.at === record.at ? formFault(document, TRANSACTION_MEMBERS) : 'it has another time';
    if (fault !== undefined) findings.add('anchors', `batch ${batch}: of its stored transaction, ${fault}`);
    // A record that the log does not have yet is published later, at the latest by the next start.
    const isWaiting = record.rev > rev && (document.unpublished === 1 || this.#deps.patience.isLive);
    const isSame = record.rev === rev && digestOf(record) === digest;
    if (isWaiting || isSame) await this.#compareShown(batch, { rev, shown }, document);
    else findings.add('anchors', `batch ${batch}: its newest record on the log is not the one of the store`);
  }

  /** Compares the record that the API shows of the batch. It is written before the log has it. */
  async #compareShown(
    batch: number,
    { rev, shown }: Pick<RecordedBatch, 'rev' | 'shown'>,
    transaction: TransactionDocument | undefined,
  ): Promise<void> {
    const { findings, patience } = this.#deps;
    const stored = await this.#read(anchors.name, batch);
    if (stored === undefined) {
      findings.add('anchors', `batch ${batch}: its shown record is missing, the log has it`);
      return;
    }
    const isAhead = stored.rev > rev;
    if (isAhead && patience.isLive) return;
    const { id: _id, ...record } = stored;
    const expected =
      isAhead && transaction?.unpublished === 1 ? digestOf(shownOf(transaction.record)) : shown;
    if (digestOf(shownOf(record)) !== expected)
      findings.add('anchors', `batch ${batch}: its shown record differs from what the log has`);
  }

  /** @param batches number of batches in the log, with the one that waits to be published: a checkpoint of it is served before */
  async end(batches: number): Promise<ComparedTransactions> {
    const { checkpoint, findings, ledger } = this.#deps;
    if (checkpoint !== undefined && checkpoint.size > batches)
      findings.contradict(
        batches,
        `the kept checkpoint is of ${checkpoint.size} batches, the log has ${batches}`,
      );
    await this.#compareNewest(batches);
    if (this.#notCompared !== undefined) {
      const { batch, count, why } = this.#notCompared;
      findings.add(
        'anchors',
        `${count} batches could not be compared with the ledger, the first ${batch}: ${why}`,
      );
    }
    if (this.#foreign !== undefined)
      findings.add(
        'anchors',
        `batch ${this.#foreign.batch}: its transaction is recorded for the ledger ${this.#foreign.network}, configured is ${ledger.network}`,
      );
    return { compared: this.#compared, unsettled: this.#unsettled, unanchored: this.#unanchored };
  }

  /** Compares what anchoring goes on from: the cut, the state of the log, and where the next cut begins. */
  async #compareCut({ cut, log, next }: LoggedCut): Promise<void> {
    const { findings } = this.#deps;
    const { batch } = cut;
    const stored = await this.#read(cuts.name, batch);
    if (stored === undefined) findings.contradict(batch, 'the log has a cut of it that the store has not');
    else if (!this.#isInForm(batch, cuts.name, stored, cutForm)) return;
    else if (stored.cut.headerHash !== cut.headerHash)
      findings.contradict(batch, 'the store has another cut of it than the log');
    else {
      const places = [...stored.next].sort((a, b) => a.partition - b.partition);
      const fields = differingFields({ cut: stored.cut, log: stored.log, next: places }, { cut, log, next });
      if (fields !== '')
        findings.add('anchors', `batch ${batch}: ${fields} of its stored cut differ from what the log gives`);
      const fault = formFault(stored, CUT_MEMBERS);
      if (fault !== undefined) findings.add('anchors', `batch ${batch}: of its stored cut, ${fault}`);
    }
  }

  /**
   * Compares the cut and the transaction that were the store's newest with the end of the log: without this the store
   * could have batches that the log lost.
   */
  async #compareNewest(batches: number): Promise<void> {
    const { findings } = this.#deps;
    const anchored = this.#stored.newest(transactions.name);
    this.#stored.check(batches, findings);
    if (this.#published > batches)
      findings.contradict(this.#published - 1, 'the store has a published cut of it that the log has not');
    if (anchored !== undefined && (await this.#read(cuts.name, anchored)) === undefined)
      findings.contradict(anchored, 'it has a transaction and no cut');
  }

  /** Returns whether the ledger shows the transaction in a block, or contradicts. */
  async #compare(cut: Cut, logRoot: Uint8Array, document: TransactionDocument): Promise<boolean> {
    const { findings, ledger, logId } = this.#deps;
    const { batch } = cut;
    this.#compared += 1;
    const before = this.#before;
    this.#before = undefined;
    // Told, and not as one that waits for a block.
    if (!this.#isInForm(batch, transactions.name, document, transactionForm)) return true;
    const { network } = document;
    if (network !== ledger.network) this.#foreign ??= { batch, network };
    // A running system may have anchored both batches since the first read.
    if (
      this.#open !== undefined &&
      !this.#isOpenTold &&
      (await this.#read(transactions.name, this.#open)) === undefined
    ) {
      findings.contradict(this.#open, 'it has no transaction, and a later batch has one');
      this.#isOpenTold = true;
    }
    const { difference, tip } = compareBatch({ logId, cut, logRoot, document, before });
    this.#before = tip;
    const shown = difference === undefined ? await this.#shown(document) : undefined;
    if (shown?.isUnsettled === true) this.#unsettled += 1;
    const what = difference ?? shown?.difference;
    if (what !== undefined) findings.contradict(batch, what);
    return what !== undefined || shown?.isInBlock === true;
  }

  /** One batch about which the ledger says nothing must not hide what others show: it is counted, and the audit goes on. */
  async #shown(document: TransactionDocument): Promise<ShownTransaction> {
    try {
      return await shownByLedger(document, this.#deps.ledger);
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      this.#notCompared ??= { batch: document.batch, why: error.message, count: 0 };
      this.#notCompared.count += 1;
      // It is told by itself, and not as one that waits for a block.
      return { difference: undefined, isInBlock: true, isUnsettled: false };
    }
  }

  /**
   * Returns whether a stored document has the form that anchoring writes; tells of one that has not: somebody wrote to the store,
   * and one such document must not hide what the others show.
   */
  #isInForm(batch: number, collection: string, document: Stored, form: Checker<unknown>): boolean {
    if (form.check(document)) return true;
    const path = form.errors(document)[0]?.path ?? '';
    const what = `what the store has of it is not in the form that anchoring writes (${collection}: ${path})`;
    this.#deps.findings.contradict(batch, what);
    return false;
  }

  /** Returns whether the documents with which an earlier transaction of the batch is compared have their form; `take` tells of others. */
  async #hasFormsAround(batch: number): Promise<boolean> {
    for (const one of [batch, batch - 1]) {
      const cut = await this.#read(cuts.name, one);
      const document = await this.#read(transactions.name, one);
      if (cut !== undefined && !cutForm.check(cut)) return false;
      if (document !== undefined && !transactionForm.check(document)) return false;
    }
    return true;
  }

  #read<T extends Stored>(collection: CollectionName<T>, batch: number): Promise<T | undefined> {
    return this.#deps.store.get(collection, batchId(batch));
  }
}
