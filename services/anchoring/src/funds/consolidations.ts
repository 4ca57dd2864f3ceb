import { omit } from '@sentinel-node/contracts';
import {
  LedgerUnavailableError,
  saveIfCurrent,
  type Clock,
  type DocumentStore,
  type Ledger,
  type LedgerAnswer,
} from '@sentinel-node/platform';
import type { Alarms } from '../alarms.ts';
import {
  OWN_COLLECTIONS,
  type Consolidation,
  type FundsDocument,
  type TransactionDocument,
} from '../collections.ts';
import { planConsolidation } from '../domain/plan-consolidation.ts';
import { countSetAside, isLeftAside, isSetAside, needsResume } from '../domain/transaction-state.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import type { PollSchedule } from '../poll-schedule.ts';
import { sendAgain } from '../send-again.ts';
import type { SignedAnchor } from '../transaction/sign-anchor.ts';
import { signSpend } from '../transaction/sign-spend.ts';
import { importedOutputs, storeWithPath, provenOutputs } from './imported-outputs.ts';
import { fundedTransactions, joinedId, reservedBy } from './reserved-outputs.ts';

const { transactions } = OWN_COLLECTIONS;

export interface ConsolidationDeps {
  readonly store: DocumentStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Hex of 32 bytes. */
  readonly anchoringKey: string;
  readonly publicKeyHash: string;
  readonly alarms: Alarms;
  readonly polls: PollSchedule;
}

/**
 * Joins small outputs of the anchoring key. A consolidation is stored in one write with an anchor, so that both
 * reserve their inputs at once, and is sent when no anchor waits. A ledger that does not answer delays only the
 * consolidation.
 */
export class Consolidations {
  readonly #deps: ConsolidationDeps;

  constructor(deps: ConsolidationDeps) {
    this.#deps = deps;
  }

  /**
   * Returns a consolidation to store with this anchor; undefined when the anchor's own funds are low, there is nothing
   * to join, or a consolidation is open.
   */
  async next(anchor: SignedAnchor): Promise<Consolidation | undefined> {
    const smallBelow = anchor.fee * ANCHORING_LIMITS.lowFundsFees;
    if (anchor.funds < smallBelow) return undefined;
    try {
      const free = await this.#free(anchor);
      if (free.length < ANCHORING_LIMITS.consolidationLeast) return undefined;
      return await this.#signed(free, smallBelow);
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      return undefined;
    }
  }

  /** Sends open consolidations, and asks the ledger about them. @param isEnded when true, no more work begins */
  async step(isEnded: () => boolean): Promise<void> {
    const { store, polls } = this.#deps;
    const found = await store.find(transactions.name, {
      where: { consolidating: 1 },
      limit: ANCHORING_LIMITS.openTransactions,
    });
    for (const document of found) {
      if (isEnded()) return;
      const { consolidation } = document;
      if (consolidation !== undefined && polls.isDue(consolidation.txid))
        await this.#follow(document, consolidation);
    }
  }

  /** Returns unspent kept outputs that no refused transaction spends; none while a consolidation is open. */
  async #free({ inputs }: SignedAnchor): Promise<readonly FundsDocument[]> {
    const { store, ledger, publicKeyHash } = this.#deps;
    const kept = await importedOutputs(store, ledger.network, publicKeyHash);
    if (kept.length < ANCHORING_LIMITS.consolidationLeast) return [];
    const funded = await fundedTransactions(store);
    if (funded.some(({ consolidation }) => consolidation?.state === 'open')) return [];
    const { byAnchor, byConsolidation, doubts } = reservedBy(funded);
    const isSpent = (id: string) => byAnchor.has(id) || byConsolidation.has(id) || inputs.includes(id);
    return kept.filter(({ id }) => !isSpent(id) && !doubts.has(id));
  }

  async #signed(free: readonly FundsDocument[], smallBelow: number): Promise<Consolidation | undefined> {
    const { ledger, anchoringKey: privateKey } = this.#deps;
    const { consolidationLeast: least, consolidationMost: most } = ANCHORING_LIMITS;
    const policy = await ledger.policy();
    const bounds = { least, most, smallBelow };
    const spend = planConsolidation(await provenOutputs(free, ledger), policy, bounds);
    const signed = spend.length === 0 ? undefined : await signSpend({ spend, privateKey, policy });
    return signed && { ...signed, state: 'open' };
  }

  async #follow(document: TransactionDocument, made: Consolidation): Promise<void> {
    const { ledger, polls, alarms } = this.#deps;
    try {
      const known = await ledger.status(made.txid);
      const isAside = known !== undefined && isSetAside(known.status);
      const told = isAside ? await sendAgain(ledger, [made.extendedTx], known) : known;
      const answer = told ?? (await ledger.submit(made.extendedTx));
      const changed = await this.#apply(document, made, answer);
      polls.answered(made.txid, { changed });
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      alarms.unavailable(error, polls.unanswered(made.txid));
    }
  }

  /** Records an answer. Returns true when the consolidation is settled. */
  async #apply(document: TransactionDocument, made: Consolidation, answer: LedgerAnswer): Promise<boolean> {
    const { alarms } = this.#deps;
    const setAside = countSetAside(made.setAside, answer.status);
    if (needsResume(answer.status) || isLeftAside(setAside)) {
      if (await this.#settle(document, made, 'refused'))
        alarms.consolidationRefused(made.txid, answer.detail);
      return true;
    }
    if (setAside !== made.setAside) {
      await this.#save(document, withCount(made, setAside));
      return false;
    }
    if (answer.status !== 'MINED' || answer.merklePath === undefined) return false;
    await storeWithPath(this.#deps.store, this.#joined(made, answer.merklePath));
    const { ledger } = this.#deps;
    const depth = (await ledger.height()) - (answer.blockHeight ?? Infinity) + 1;
    if (depth < ledger.closingDepth) return false;
    if (await this.#settle(document, made, 'confirmed')) alarms.consolidated(made);
    return true;
  }

  #joined({ txid, rawTx, funds }: Consolidation, merklePath: string): FundsDocument {
    const { ledger, clock, publicKeyHash } = this.#deps;
    return {
      ...{ id: joinedId(txid), network: ledger.network, publicKeyHash, txid, rawTx, outputIndex: 0 },
      ...{ satoshis: funds, merklePath, importedAt: clock.now(), joined: 1 },
    };
  }

  async #settle(
    document: TransactionDocument,
    made: Consolidation,
    state: Consolidation['state'],
  ): Promise<boolean> {
    const isCurrent = await this.#save(document, { ...made, state });
    if (isCurrent) this.#deps.polls.forget(made.txid);
    return isCurrent;
  }

  /** Returns false when the document has changed meanwhile. */
  #save(document: TransactionDocument, consolidation: Consolidation): Promise<boolean> {
    const changed = { ...document, rev: document.rev + 1, consolidation };
    const next = consolidation.state === 'open' ? changed : omit(changed, 'consolidating');
    return saveIfCurrent(this.#deps.store, transactions.name, next, document.rev);
  }
}

function withCount(made: Consolidation, setAside: number | undefined): Consolidation {
  const others = omit(made, 'setAside');
  return setAside === undefined ? others : { ...others, setAside };
}
