/** Publishes cosignatures with their batch, so that proofs contain them. */
import { POLICY_LIMITS, type AnchorEvidence, omit } from '@sentinel-node/contracts';
import { saveIfCurrent, type Outbox } from '@sentinel-node/platform';
import type { Clock, DocumentStore, EventLog, Log } from '@sentinel-node/platform';
import { withEvidence } from '../changed-document.ts';
import { batchId, OWN_COLLECTIONS } from '../collections.ts';
import type { CosignatureDocument, TransactionDocument } from '../collections.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import { transactionOutbox } from '../publish.ts';

const { cosignatures, transactions } = OWN_COLLECTIONS;

export interface CosignaturePublisherDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
}

/** Only one call of `step` may run at a time. */
export class CosignaturePublisher {
  readonly #deps: CosignaturePublisherDeps;
  readonly #outbox: Outbox<TransactionDocument>;

  constructor(deps: CosignaturePublisherDeps) {
    this.#deps = deps;
    this.#outbox = transactionOutbox(deps, 'the cosignatures are published later');
  }

  /**
   * Publishes waiting cosignatures. A batch without a transaction waits for it, because the transaction's document
   * serialises the writers.
   */
  async step(): Promise<void> {
    const found = await this.#deps.store.find(cosignatures.name, {
      where: { waiting: 1 },
      limit: ANCHORING_LIMITS.cosignedBatches,
    });
    for (const batch of new Set(found.map((document) => document.batch)))
      await this.#publish(
        batch,
        found.filter((document) => document.batch === batch),
      );
  }

  async #publish(batch: number, waiting: readonly CosignatureDocument[]): Promise<void> {
    const { store } = this.#deps;
    const document = await store.get(transactions.name, batchId(batch));
    const evidence = document?.record.evidence;
    if (document === undefined || evidence === undefined) return;
    const { logRoot } = document.record.cut;
    const own = waiting.filter(({ root }) => root === logRoot).map(({ line }) => line);
    const before = evidence.cosignatures ?? [];
    // A batch keeps its first cosignatures, even when the policy has changed its witnesses since.
    const lines = [...new Set([...before, ...own])].slice(0, POLICY_LIMITS.witnesses);
    if (lines.length > before.length && !(await this.#change(document, { ...evidence, cosignatures: lines })))
      return;
    for (const one of waiting) await this.#settle(one);
  }

  /** Returns false when another writer was first; the next step tries again. */
  async #change(document: TransactionDocument, evidence: AnchorEvidence): Promise<boolean> {
    const { store, clock } = this.#deps;
    const changed = withEvidence(document, evidence, clock.now());
    if (!(await saveIfCurrent(store, transactions.name, changed, document.rev))) return false;
    await this.#outbox.publish(changed);
    return true;
  }

  async #settle(document: CosignatureDocument): Promise<void> {
    const settled = { ...omit(document, 'waiting'), id: document.id, rev: document.rev + 1 };
    await saveIfCurrent(this.#deps.store, cosignatures.name, settled, document.rev);
  }
}
