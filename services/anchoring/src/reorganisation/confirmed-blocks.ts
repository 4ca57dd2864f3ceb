/** Takes anchors back whose block the chain of most work has no more, however deep the block was. */
import { LedgerUnavailableError, saveIfCurrent, WaitClock } from '@sentinel-node/platform';
import type { Clock, DocumentStore, EventLog, Ledger, Log, Outbox } from '@sentinel-node/platform';
import type { Alarms } from '../alarms.ts';
import { changedDocument } from '../changed-document.ts';
import { OWN_COLLECTIONS } from '../collections.ts';
import type { ChainMarkDocument, TransactionDocument } from '../collections.ts';
import { signed } from '../domain/transaction-state.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import { transactionOutbox } from '../publish.ts';
import { blocksOf, hashAt, movedSince, readMark, saveMark } from './chain-mark.ts';

const { transactions } = OWN_COLLECTIONS;
/** What the headers say of a transaction whose block was replaced; the ledger is asked what became of it. */
const STALE = 'MINED_IN_STALE_BLOCK';

export interface ConfirmedBlocksDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly ledger: Pick<Ledger, 'closingDepth' | 'firstHeight' | 'header' | 'height'>;
  readonly alarms: Pick<Alarms, 'reorganised' | 'takenBack'>;
}

interface TakenBack {
  /** Batches taken back, and how many of these were polled no more. */
  readonly count: number;
  readonly closed: number;
  /** The oldest of them. */
  readonly first: number;
}

/**
 * Looks whether the chain of blocks moved since the last look. Each anchor spends an output of the one before, so that no anchor is
 * in an earlier block than its predecessor: the look goes back from the newest anchor to the first one that is below the
 * place where the chains part, and asks nobody but the headers. Where it is, is stored, so that a restart goes on.
 */
export class ConfirmedBlocks {
  readonly #deps: ConfirmedBlocksDeps;
  readonly #outbox: Outbox<TransactionDocument>;
  readonly #waits: WaitClock;
  #lookAt = 0;
  /** Id of the oldest compared anchor of this walk. */
  #last: string | undefined;
  /** `rev` of the mark that the walk is of. */
  #rev: number | undefined;
  /** Whether the known headers reached the block of every anchor of this walk. */
  #isWhole = true;
  #taken: TakenBack | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: ConfirmedBlocksDeps) {
    this.#deps = deps;
    this.#waits = new WaitClock(deps.clock);
    this.#outbox = transactionOutbox(deps, 'that an anchor is in no block any more is published later');
  }

  /** Looks at the chain now and then, and at some anchors when it moved. @throws LedgerUnavailableError */
  async step(): Promise<void> {
    const now = this.#waits.now();
    if (now < this.#lookAt) return;
    const mark = await this.#look(await readMark(this.#deps.store));
    const walked = mark?.above === undefined ? 'done' : await this.#walk(mark, mark.above);
    if (walked !== 'more') this.#lookAt = now + ANCHORING_LIMITS.chainLookMs;
  }

  /**
   * Takes back all that an earlier process left, and what the chain replaced while none ran: without it, a start would take that
   * for a contradiction. Without a mark nothing can be told. @throws LedgerUnavailableError
   */
  settle(): Promise<void> {
    this.#running ??= this.#settleOnce().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #settleOnce(): Promise<void> {
    for (;;) {
      const before = await readMark(this.#deps.store);
      if (before === undefined) return;
      const mark = await this.#look(before);
      if (mark === undefined) continue;
      const walked = mark.above === undefined ? 'done' : await this.#walk(mark, mark.above);
      if (walked === 'done') return;
      if (walked === 'unknown')
        throw new LedgerUnavailableError(
          'the block headers end before the block of a batch, or are of another chain',
        );
    }
  }

  /** Compares the chain with the mark, and returns the mark of the chain as it is; undefined when another process changed it. */
  async #look(before: ChainMarkDocument | undefined): Promise<ChainMarkDocument | undefined> {
    const { alarms, ledger, store } = this.#deps;
    const tip = await ledger.height();
    if (before === undefined) {
      const blocks = await blocksOf(ledger, tip, []);
      return blocks.length === 0 ? undefined : saveMark(store, { blocks }, before);
    }
    const moved = await movedSince(ledger, tip, before);
    if (moved.kind === 'behind' || moved.kind === 'other') return before;
    if (moved.kind === 'none') {
      if (before.blocks[0]?.height === tip) return before;
      const blocks = await blocksOf(ledger, tip, before.blocks);
      const saved = await saveMark(store, { ...before, blocks }, before);
      // A new block at the end is no reason to begin the walk anew.
      if (this.#rev === before.rev) this.#rev = saved?.rev;
      return saved;
    }
    const { above = Infinity } = before;
    const shared = moved.kind === 'replaced' ? moved.shared : ledger.firstHeight - 1;
    if (moved.kind === 'replaced') {
      const isDeep = moved.depth >= ledger.closingDepth;
      alarms.reorganised({ depth: moved.depth, shared, height: tip, isDeep });
    }
    const blocks = await blocksOf(ledger, tip, []);
    return blocks.length === 0 ? before : saveMark(store, { blocks, above: Math.min(above, shared) }, before);
  }

  /** Compares the next anchors, the newest first. `unknown`: all were, except those in blocks above the known headers. */
  async #walk(mark: ChainMarkDocument, above: number): Promise<'more' | 'done' | 'unknown'> {
    const { ledger, store } = this.#deps;
    // Nothing is known of blocks before the first header.
    const floor = Math.max(above, ledger.firstHeight - 1);
    const { chainLookBatches: limit } = ANCHORING_LIMITS;
    // The chain moved again, or another process, or a person, wants more compared: from the newest on again.
    if (mark.rev !== this.#rev) [this.#last, this.#isWhole] = [undefined, true];
    this.#rev = mark.rev;
    const page = await store.find(transactions.name, {
      ...(this.#last !== undefined && { where: { id: { lt: this.#last } } }),
      sort: { field: 'id', direction: 'desc' },
      limit,
    });
    for (const document of page) {
      const height = heightOf(document);
      if (height !== undefined && height <= floor && document.open === undefined) return this.#end(mark);
      // Another process has changed it since: the next look reads it again.
      if (height !== undefined && height > floor && !(await this.#compare(document, height))) return 'more';
      this.#last = document.id;
    }
    return page.length === limit ? 'more' : this.#end(mark);
  }

  async #end({ blocks, rev, id }: ChainMarkDocument): Promise<'more' | 'done' | 'unknown'> {
    const { alarms, store } = this.#deps;
    const isWhole = this.#isWhole;
    if (isWhole && (await saveMark(store, { blocks }, { id, rev, blocks })) === undefined) return 'more';
    [this.#last, this.#isWhole] = [undefined, true];
    if (this.#taken !== undefined) alarms.takenBack(this.#taken);
    this.#taken = undefined;
    return isWhole ? 'done' : 'unknown';
  }

  /** Takes the anchor back unless its block is in the chain. Returns false when the document has changed meanwhile. */
  async #compare(document: TransactionDocument, height: number): Promise<boolean> {
    const { clock, ledger, store } = this.#deps;
    const { blockHash, txid } = document.record.transaction!;
    const hash = await hashAt(ledger, height);
    if (hash === undefined) this.#isWhole = false;
    if (hash === undefined || hash === blockHash) return true;
    const next = { ...document, rev: document.rev + 1 };
    const state = { ...signed(txid), status: STALE };
    const closing = { depth: ledger.closingDepth, isFollowed: true };
    const changed = changedDocument(next, state, { txid, status: STALE }, clock.now(), closing);
    const open: TransactionDocument = { ...changed, open: 1 };
    if (!(await saveIfCurrent(store, transactions.name, open, document.rev))) return false;
    const { count, closed } = this.#taken ?? { count: 0, closed: 0 };
    const wasClosed = document.open === undefined ? 1 : 0;
    this.#taken = { count: count + 1, closed: closed + wasClosed, first: document.batch };
    await this.#outbox.publish(open);
    return true;
  }
}

/** Returns the height of the anchor's block; undefined when it is in none. */
function heightOf({ record: { transaction } }: TransactionDocument): number | undefined {
  return transaction?.status === 'MINED' ? (transaction.blockHeight ?? undefined) : undefined;
}
