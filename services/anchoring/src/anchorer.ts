import { encodeAnchorScript, SEAL_OUTPUT } from '@sentinel-node/contracts';
import type { AnchorRecord, Cut } from '@sentinel-node/contracts';
import {
  backoffMs,
  chanceOf,
  saveIfCurrent,
  LedgerUnavailableError,
  WaitClock,
  type Outbox,
} from '@sentinel-node/platform';
import type { Clock, DocumentStore, EventLog, Ledger, LedgerAnswer } from '@sentinel-node/platform';
import type { Log, Random } from '@sentinel-node/platform';
import type { Alarms } from './alarms.ts';
import { answerAbout } from './answer-about.ts';
import { anchorOf, changedDocument, resumedDocument, withRefusal } from './changed-document.ts';
import { batchId, OWN_COLLECTIONS } from './collections.ts';
import type { Consolidation, CutDocument, TransactionDocument } from './collections.ts';
import { evidenceOfCut } from './domain/evidence.ts';
import {
  countSetAside,
  isLeftAside,
  isRefused,
  isSetAside,
  isSpendable,
  needsResume,
  observe,
  signed,
} from './domain/transaction-state.ts';
import { Consolidations } from './funds/consolidations.ts';
import { fundingChoices, daysOfFunds, type FundsDeps, type Signed } from './funds/free-funding.ts';
import { ledgerChanged } from './errors.ts';
import { ANCHORING_LIMITS } from './limits.ts';
import { logBefore } from './log-before.ts';
import { newestTransaction } from './newest-transaction.ts';
import { PollSchedule } from './poll-schedule.ts';
import { transactionOutbox } from './publish.ts';
import { publicKeyHashOf, signAnchor } from './transaction/sign-anchor.ts';
import type { SignedAnchor } from './transaction/sign-anchor.ts';

const { cuts, transactions } = OWN_COLLECTIONS;

export interface AnchorerDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly ledger: Ledger;
  readonly logId: Uint8Array;
  /** Hex of 32 bytes. */
  readonly anchoringKey: string;
  readonly alarms: Alarms;
}

/**
 * Puts each recorded cut into a transaction, in order, and follows the transaction until it is deep enough. One call
 * at a time.
 */
export class Anchorer {
  readonly #deps: AnchorerDeps;
  readonly #outbox: Outbox<TransactionDocument>;
  readonly #waits: WaitClock;
  readonly #polls: PollSchedule;
  readonly #publicKeyHash: string;
  readonly #funds: FundsDeps;
  readonly #consolidations: Consolidations;
  /** Transaction whose funds were shown last. */
  #shownFunds: string | undefined;
  #failures = 0;
  #retryAt = 0;
  #ended = false;

  constructor(deps: AnchorerDeps) {
    this.#deps = deps;
    this.#waits = new WaitClock(deps.clock);
    this.#polls = new PollSchedule(() => chanceOf(deps.random), this.#waits);
    this.#publicKeyHash = publicKeyHashOf(deps.anchoringKey);
    this.#funds = { ...deps, publicKeyHash: this.#publicKeyHash };
    this.#consolidations = new Consolidations({ ...this.#funds, ...deps, polls: this.#polls });
    this.#outbox = transactionOutbox(deps, 'the anchor is published later');
  }

  /** @throws AnchoringStoppedError when the store was anchored on another ledger */
  async restore(): Promise<void> {
    const last = await newestTransaction(this.#deps.store);
    const { network } = this.#deps.ledger;
    if (last !== undefined && last.network !== network) throw ledgerChanged(last.network, network);
    if (last !== undefined && isRefused(last)) this.#alarmRejected(last, false, undefined);
    // At once: without an answer of the ledger no step does it.
    await this.#asked(last);
  }

  /** Makes the next step ask the ledger about a transaction that was reported as changed. */
  pollSoon(txid: string): void {
    this.#polls.makeDue(txid);
  }

  /** Ends after the current work. */
  end(): void {
    this.#ended = true;
  }

  /** Publishes leftovers, asks the ledger about open transactions, sends waiting cuts, then joins small funds. */
  async step(): Promise<void> {
    await this.#outbox.sweep();
    if (this.#waits.now() < this.#retryAt) return;
    try {
      await this.#poll();
      while (!this.#ended && (await this.#sendNext()));
      this.#failures = 0;
      await this.#consolidations.step(() => this.#ended);
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      this.#deps.alarms.unavailable(error, this.#waitLonger());
    }
  }

  #waitLonger(): number {
    const wait = backoffMs(this.#failures++, ANCHORING_LIMITS.retryBackoff, chanceOf(this.#deps.random));
    this.#retryAt = this.#waits.now() + wait;
    return wait;
  }

  /**
   * Returns the transactions that the ledger is asked about, and shows what is refused: another process, or an earlier one, may
   * have been told so.
   */
  async #asked(last: TransactionDocument | undefined): Promise<readonly TransactionDocument[]> {
    const { alarms, store } = this.#deps;
    const found = await store.find(transactions.name, {
      where: { open: 1 },
      limit: ANCHORING_LIMITS.openTransactions,
    });
    const earlier = found.filter(({ batch }) => last !== undefined && batch < last.batch);
    alarms.refusedNewest(last !== undefined && isRefused(last));
    alarms.refusedEarlier(earlier.filter(isRefused).length);
    // The next anchor waits for the newest one, however many are open before it.
    return last?.open === 1 ? [...earlier, last] : earlier;
  }

  async #poll(): Promise<void> {
    const { ledger, store } = this.#deps;
    const last = await newestTransaction(store);
    const newest = last?.batch ?? -1;
    const open = await this.#asked(last);
    const due = open.filter(({ record }) => this.#polls.isDue(record.transaction!.txid));
    if (due.length === 0) return;
    const tip = await ledger.height();
    let failure: unknown;
    for (const document of due.toReversed()) {
      if (this.#ended) return;
      if (document.batch < newest) {
        if (!(await this.#pollEarlier(document, tip))) break;
        continue;
      }
      try {
        await this.#pollOne(document, tip);
      } catch (error) {
        // The ledger may have no answer about this one alone: those before it are asked about all the same.
        if (!(error instanceof LedgerUnavailableError)) throw error;
        failure = error;
      }
    }
    if (failure !== undefined) throw failure;
  }

  /**
   * Asks about a batch that others follow. Returns false when the ledger does not answer: that is no reason to send no
   * further anchor, so that the batch alone waits, and the others of this turn for the next one.
   */
  async #pollEarlier(document: TransactionDocument, tip: number): Promise<boolean> {
    const { alarms } = this.#deps;
    try {
      if (document.resume === 1) await this.#replace(document, anchorOf(document), { isFollowed: true });
      else await this.#pollOne(document, tip);
      return true;
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      const { txid } = document.record.transaction!;
      alarms.unavailable(error, this.#polls.unanswered(txid));
      return false;
    }
  }

  async #pollOne(document: TransactionDocument, tip: number): Promise<void> {
    await this.#apply(document, await answerAbout(document, this.#deps), tip);
  }

  /**
   * Signs, stores and sends the next cut's transaction. Returns false when another cannot follow now: no cut is ready,
   * or a transaction is not on the network yet.
   */
  async #sendNext(): Promise<boolean> {
    const { store, ledger } = this.#deps;
    const last = await newestTransaction(store);
    if (last?.resume === 1) return this.#sendAgain(last);
    const cut = await this.#nextCut(last);
    if (cut === undefined) {
      if (last !== undefined) await this.#showFunds(last);
      return false;
    }
    const { id } = cut;
    const anchor = await this.#sign(cut.cut, last);
    if (anchor === undefined) return false;
    await this.#store(cut.cut, anchor, await this.#consolidations.next(anchor));
    // Another process may have stored its transaction first; the stored transaction counts.
    await this.#outbox.publish(await this.#stored(id));
    const fresh = await this.#stored(id);
    return this.#apply(fresh, await ledger.submit(fresh.extendedTx), await ledger.height());
  }

  /** Returns the cut to send after the newest transaction; undefined while none is ready, or that one is not on the network. */
  async #nextCut(last: TransactionDocument | undefined): Promise<CutDocument | undefined> {
    if (last !== undefined && !isSpendable(last.record.transaction!)) return undefined;
    const id = batchId(last === undefined ? 0 : last.batch + 1);
    const found = await this.#deps.store.get(cuts.name, id);
    return found?.unpublished === undefined ? found : undefined;
  }

  /**
   * Sends the newest batch again after `sentinel anchors resume`: an earlier signed transaction if the ledger now
   * accepts it, else a new one over the same seal, so that at most one of them can be in a block.
   */
  async #sendAgain(document: TransactionDocument): Promise<boolean> {
    const { store } = this.#deps;
    const taken = await this.#takenBefore(document);
    const before =
      document.batch === 0 ? undefined : await store.get(transactions.name, batchId(document.batch - 1));
    const anchor = taken ?? (await this.#sign(document.record.cut, before, document));
    return anchor !== undefined && this.#replace(document, anchor, { isFollowed: false });
  }

  /** Stores and sends the transaction that a person resumed, which may be the same. */
  async #replace(
    document: TransactionDocument,
    anchor: SignedAnchor,
    { isFollowed }: { readonly isFollowed: boolean },
  ): Promise<boolean> {
    const { store, ledger, alarms, clock } = this.#deps;
    const changed = resumedDocument(document, anchor, clock.now());
    if (!(await saveIfCurrent(store, transactions.name, changed, document.rev))) return false;
    alarms.resumed({ batch: document.batch, txid: anchor.txid, isFollowed });
    await this.#outbox.publish(changed);
    const fresh = await this.#stored(changed.id);
    return this.#apply(fresh, await ledger.submit(fresh.extendedTx), await ledger.height());
  }

  /** Returns an existing document; documents are never removed. */
  async #stored(id: string): Promise<TransactionDocument> {
    const stored = await this.#deps.store.get(transactions.name, id);
    if (stored === undefined) throw new Error(`the transaction of batch ${id} is gone`);
    return stored;
  }

  async #takenBefore(document: TransactionDocument): Promise<SignedAnchor | undefined> {
    for (const anchor of [anchorOf(document), ...(document.replaced ?? [])]) {
      const answer = await this.#deps.ledger.submit(anchor.extendedTx);
      // The ledger answers RECEIVED each time; only SEEN_ON_NETWORK or MINED shows that it took the transaction.
      const isTaken = isLeftAside(document.setAside) ? isSpendable(answer) : !needsResume(answer.status);
      if (isTaken && !isSetAside(answer.status)) return anchor;
    }
    return undefined;
  }

  /** @param again the document of this batch when its transaction is signed again */
  async #sign(
    cut: Cut,
    last: TransactionDocument | undefined,
    again?: TransactionDocument,
  ): Promise<SignedAnchor | undefined> {
    const { ledger, logId, anchoringKey: privateKey, alarms } = this.#deps;
    const policy = await ledger.policy();
    const { batch, headerHash, logRoot } = cut;
    const script = encodeAnchorScript({ logId, batch, headerHash, logRoot });
    const seal =
      last === undefined ? [] : [{ rawTx: last.rawTx, outputIndex: SEAL_OUTPUT, satoshis: last.funds }];
    let anchor: SignedAnchor | undefined;
    for await (const funding of fundingChoices(this.#funds, last, again)) {
      const spend = [...seal, ...funding];
      if (spend.length > 0) anchor = await signAnchor({ script, spend, privateKey, policy });
      if (anchor !== undefined) break;
    }
    if (anchor === undefined) alarms.outOfFunds(batch, this.#publicKeyHash, this.#waitLonger());
    else await this.#tellFunds({ batch, anchor, last });
    return anchor;
  }

  async #tellFunds(signed: Signed): Promise<void> {
    const { funds, fee, txid } = signed.anchor;
    this.#deps.alarms.funds(funds, fee, await daysOfFunds(this.#funds, signed));
    this.#shownFunds = txid;
  }

  /** Shows the funds of a transaction that an earlier process signed, or another one. */
  async #showFunds(last: TransactionDocument): Promise<void> {
    const isShown = last.record.transaction!.txid === this.#shownFunds;
    // Without funds, or while the ledger does not answer, the alarm about that stays.
    if (isShown || isRefused(last) || this.#waits.now() < this.#retryAt) return;
    await this.#tellFunds({ batch: last.batch, anchor: anchorOf(last), last });
  }

  /** Stores the transaction, which reserves its inputs. */
  async #store(cut: Cut, anchor: SignedAnchor, consolidation: Consolidation | undefined): Promise<void> {
    const { store, ledger, clock } = this.#deps;
    const at = clock.now();
    const funded = cut.batch === 0 || anchor.inputs.length > 1 || consolidation !== undefined;
    const { txid, ...rest } = anchor;
    const state = { v: 1, batch: cut.batch, rev: 2, at, cut, transaction: signed(txid) } as const;
    const before = await logBefore(store, cut.batch);
    const sent = { transaction: { network: ledger.network, raw: anchor.rawTx } };
    const record: AnchorRecord =
      before === undefined ? state : { ...state, evidence: { ...evidenceOfCut(before), ...sent } };
    const base = { id: batchId(cut.batch), rev: 1, at, batch: cut.batch, network: ledger.network, record };
    const open: TransactionDocument = { ...base, ...rest, unpublished: 1, open: 1 };
    const document: TransactionDocument = {
      ...open,
      ...(funded && { funded: 1 }),
      ...(consolidation && { consolidation, consolidating: 1 }),
    };
    // When another process was first, the next step reads its transaction.
    await saveIfCurrent(store, transactions.name, document, undefined);
  }

  /** Records an answer of the ledger. Returns true when the transaction is then on the network. */
  async #apply(document: TransactionDocument, answer: LedgerAnswer, tip: number): Promise<boolean> {
    const { store, clock } = this.#deps;
    const before = document.record.transaction!;
    const transaction = observe(before, answer, tip);
    this.#polls.answered(before.txid, { changed: transaction !== before });
    const setAside = countSetAside(document.setAside, answer.status);
    if (transaction === before && setAside === document.setAside) return isSpendable(before);
    const { closingDepth: depth } = this.#deps.ledger;
    const record = { ...document.record, transaction };
    const isNowRefused = isRefused({ record, ...(setAside !== undefined && { setAside }) });
    const wasRefused = isRefused(document);
    const isFollowed = (isNowRefused || wasRefused) && (await this.#isFollowed(document.batch));
    const words = isNowRefused ? (answer.detail ?? document.words) : undefined;
    const next = withRefusal(document, { setAside, words });
    const changed =
      transaction === before
        ? next
        : changedDocument(next, transaction, answer, clock.now(), { depth, isFollowed });
    if (!(await saveIfCurrent(store, transactions.name, changed, document.rev))) return false;
    if (changed.open === undefined) this.#polls.forget(before.txid);
    const { alarms } = this.#deps;
    if (isNowRefused && !(wasRefused && transaction === before))
      this.#alarmRejected(changed, isFollowed, answer.detail);
    else if (wasRefused && !isNowRefused)
      alarms.taken({ batch: document.batch, txid: transaction.txid, isFollowed });
    if (changed.unpublished !== undefined) await this.#outbox.publish(changed);
    return isSpendable(transaction);
  }

  async #isFollowed(batch: number): Promise<boolean> {
    return (await this.#deps.store.get(transactions.name, batchId(batch + 1))) !== undefined;
  }

  #alarmRejected(
    { batch, record }: TransactionDocument,
    isFollowed: boolean,
    detail: string | undefined,
  ): void {
    this.#deps.alarms.rejected({ batch, txid: record.transaction!.txid, isFollowed }, detail);
  }
}
