/**
 * Mends batches that an earlier version published without evidence, or did not ask the ledger about any more because it
 * refused them, although later ones follow.
 */
import type { AnchorEvidence } from '@sentinel-node/contracts';
import {
  type Outbox,
  saveIfCurrent,
  type Clock,
  type DocumentStore,
  type EventLog,
  type Ledger,
  type Log,
} from '@sentinel-node/platform';
import { withEvidence } from './changed-document.ts';
import {
  batchId,
  OWN_COLLECTIONS,
  type AnchorDocument,
  type LookDocument,
  type TransactionDocument,
} from './collections.ts';
import { blockEvidence, evidenceOfCut } from './domain/evidence.ts';
import { isRejected } from './domain/transaction-state.ts';
import { ANCHORING_LIMITS } from './limits.ts';
import { logBefore } from './log-before.ts';
import { publishAnchor, recordOfCut, transactionOutbox } from './publish.ts';

const { anchors, cuts, looks, transactions } = OWN_COLLECTIONS;
/** Id of the document that says what needs no look again. */
const LOOK = 'evidence';

export interface EvidenceBackfillDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly ledger: Pick<Ledger, 'status'>;
}

/**
 * Looks at the batches, newest first, and publishes those without evidence again, a few in each step. A later start does not look at
 * the oldest ones that were in order. One call at a time.
 */
export class EvidenceBackfill {
  readonly #deps: EvidenceBackfillDeps;
  readonly #outbox: Outbox<TransactionDocument>;
  /** Id of the last checked batch. */
  #last: string | undefined;
  /** Newest of the batches that an earlier process found in order; undefined before the first step. */
  #known: LookDocument | null | undefined;
  /** The same of this look: newest of those since the last one that was not in order. */
  #inOrder: string | undefined;
  #published = 0;
  #isDone = false;

  constructor(deps: EvidenceBackfillDeps) {
    this.#deps = deps;
    this.#outbox = transactionOutbox(deps, 'the evidence is published later');
  }

  /** @throws LedgerUnavailableError */
  async step(): Promise<void> {
    if (this.#isDone) return;
    if (this.#known === undefined) this.#known = (await this.#deps.store.get(looks.name, LOOK)) ?? null;
    const [before, known] = [this.#last, this.#known?.last];
    const id = { ...(before !== undefined && { lt: before }), ...(known !== undefined && { gt: known }) };
    const page = await this.#deps.store.find(anchors.name, {
      ...(Object.keys(id).length > 0 && { where: { id } }),
      sort: { field: 'id', direction: 'desc' },
      limit: ANCHORING_LIMITS.evidenceLooks,
    });
    let published = 0;
    for (const document of page) {
      const isInOrder = document.evidence !== undefined && document.transaction?.status === 'MINED';
      if (published === ANCHORING_LIMITS.evidenceBatches) return;
      if (document.evidence === undefined) {
        if (!(await this.#publish(document))) return;
        published += 1;
      }
      if (document.transaction?.status === 'REJECTED' && !(await this.#reopen(document))) return;
      this.#inOrder = isInOrder ? (this.#inOrder ?? document.id) : undefined;
      this.#last = document.id;
    }
    if (page.length === ANCHORING_LIMITS.evidenceLooks) return;
    await this.#keepLook();
    this.#isDone = true;
    if (this.#published > 0)
      this.#deps.log.info({ batches: this.#published }, 'every batch is published with its evidence');
  }

  /** Another process that was first has looked as well. */
  async #keepLook(): Promise<void> {
    if (this.#inOrder === undefined) return;
    const rev = (this.#known?.rev ?? 0) + 1;
    const next = { id: LOOK, rev, last: this.#inOrder };
    await saveIfCurrent(this.#deps.store, looks.name, next, this.#known?.rev);
  }

  /** Returns false when another writer was first; the next step tries again. */
  async #publish({ id, batch }: AnchorDocument): Promise<boolean> {
    const { store, log } = this.#deps;
    const before = await logBefore(store, batch);
    if (before === undefined) {
      log.error({ batch }, 'the cut before is missing: proofs of the batch wait; run sentinel audit');
      return true;
    }
    const evidence = evidenceOfCut(before);
    const document = await store.get(transactions.name, id);
    const isPublished =
      document === undefined
        ? await this.#publishCut(id, evidence)
        : await this.#publishTransaction(document, evidence);
    if (isPublished) this.#published += 1;
    return isPublished;
  }

  /** Has the ledger asked about a refused batch on if others follow it. Returns false when another writer was first. */
  async #reopen({ id, batch }: AnchorDocument): Promise<boolean> {
    const { store, log } = this.#deps;
    const document = await store.get(transactions.name, id);
    if (document === undefined || document.open === 1 || !isRejected(document.record.transaction!))
      return true;
    if ((await store.get(transactions.name, batchId(batch + 1))) === undefined) return true;
    const opened = { ...document, rev: document.rev + 1, open: 1 } as const;
    if (!(await saveIfCurrent(store, transactions.name, opened, document.rev))) return false;
    log.warn({ batch }, 'the ledger refused the anchor, later ones follow it: it is asked about again');
    return true;
  }

  async #publishCut(id: string, evidence: AnchorEvidence): Promise<boolean> {
    const found = await this.#deps.store.get(cuts.name, id);
    // The cutter publishes this batch, with its evidence.
    if (found === undefined || found.unpublished !== undefined) return true;
    const record = recordOfCut(found.cut, evidence);
    await publishAnchor(this.#deps, record, `${record.batch}/${record.rev}/evidence`);
    return true;
  }

  async #publishTransaction(document: TransactionDocument, cut: AnchorEvidence): Promise<boolean> {
    const { record, network, rawTx } = document;
    if (record.evidence !== undefined) return true;
    const { store, ledger, clock } = this.#deps;
    const at = clock.now();
    const { txid, status } = record.transaction!;
    const answer = status === 'MINED' ? await ledger.status(txid) : undefined;
    const evidence: AnchorEvidence = {
      ...cut,
      transaction: { network, raw: rawTx },
      block: blockEvidence(record.transaction!, answer),
    };
    const changed = withEvidence(document, evidence, at);
    if (!(await saveIfCurrent(store, transactions.name, changed, document.rev))) return false;
    await this.#outbox.publish(changed);
    return true;
  }
}
