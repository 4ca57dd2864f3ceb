/** Publishes when a part of anchoring fails and when it recovers: once each, across restarts. */
import {
  OperationRecordSchema,
  TOPICS,
  utf8,
  type Cut,
  type OperationKind,
  type OperationRecord,
} from '@sentinel-node/contracts';
import {
  compileChecker,
  Outbox,
  saveIfCurrent,
  schemaFault,
  WaitClock,
  type Clock,
  type DocumentStore,
  type EventLog,
  type Log,
} from '@sentinel-node/platform';
import type { Alarms } from '../alarms.ts';
import { batchId, OWN_COLLECTIONS, type OperationDocument } from '../collections.ts';
import { Contradictions } from '../comparison/contradictions.ts';
import { isSpendable, isUnmined } from '../domain/transaction-state.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import { newestTransaction } from '../newest-transaction.ts';
import {
  contradictedBy,
  judgeAnchoring,
  judgeFunds,
  isNewFinding,
  type Finding,
  type Progress,
} from './judge.ts';

const { cuts, operations, transactions } = OWN_COLLECTIONS;
const checker = compileChecker(OperationRecordSchema);

export interface StandingDeps {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly log: Log;
}

/** Remembers since when a batch was seen to wait. */
class FirstSeen {
  #seen: { readonly batch: number; readonly at: number } | undefined;

  /**
   * Returns the batch with the time since when it waits: when it was closed, or first seen if that was earlier, because
   * the clock that closed it may have been ahead.
   */
  of({ batch, closedAt }: Cut, now: number): { readonly batch: number; readonly closedAt: number } {
    const at = Math.min(now, this.#seen?.batch === batch ? this.#seen.at : now);
    this.#seen = { batch, at };
    return { batch, closedAt: Math.min(closedAt, at) };
  }
}

export class Standing {
  readonly #deps: StandingDeps;
  readonly #outbox: Outbox<OperationDocument>;
  readonly #contradictions: Contradictions;
  readonly #waits: WaitClock;
  #lookAt = 0;
  readonly #waiting = new FirstSeen();
  readonly #unmined = new FirstSeen();
  #contradicted: number | undefined;
  #days: number | undefined;
  #unfunded: number | undefined;
  #unanchoredSince: number;
  #unminedSince: number;

  constructor(deps: StandingDeps) {
    this.#deps = deps;
    this.#contradictions = new Contradictions(deps);
    this.#waits = new WaitClock(deps.clock);
    this.#unanchoredSince = deps.clock.now();
    this.#unminedSince = this.#unanchoredSince;
    this.#outbox = new Outbox({
      store: deps.store,
      collection: operations.name,
      faultOf: ({ record }) => schemaFault(checker, record),
      publish: async ({ record }) => {
        const id = `${record.kind}/${record.rev}`;
        const body = utf8(JSON.stringify(record));
        await deps.eventLog.append(TOPICS.operations, [{ key: record.kind, id, body }]);
      },
      onDelayed: ({ id }, { code }) => deps.log.warn({ kind: id, code }, 'a state is published later'),
    });
  }

  /**
   * Time (ms) at which the first batch that is not on the network was closed, or was first seen if that was earlier;
   * without one, that of the last look, so that the age grows when nobody can look.
   */
  get unanchoredSince(): number {
    return this.#unanchoredSince;
  }

  /**
   * Time (ms) at which the first batch was closed whose anchor is on the network and in no block, or was first seen if that
   * was earlier; without one, that of the last look, so that the age grows when nobody can look.
   */
  get unminedSince(): number {
    return this.#unminedSince;
  }

  /** Returns the same alarms, and records each one here before it goes on. */
  observe(alarms: Alarms): Alarms {
    return {
      ...alarms,
      contradicted: (contradiction) => {
        this.#contradicted = contradiction.batch;
        this.#lookAt = 0;
        alarms.contradicted(contradiction);
      },
      outOfFunds: (batch, publicKeyHash, retryMs) => {
        this.#unfunded = batch;
        this.#days = 0;
        this.#lookAt = 0;
        alarms.outOfFunds(batch, publicKeyHash, retryMs);
      },
      funds: (satoshis, fee, days) => {
        this.#days = days;
        this.#unfunded = undefined;
        this.#lookAt = 0;
        alarms.funds(satoshis, fee, days);
      },
    };
  }

  /** Records new findings. Runs even while cuts and anchors are stopped. */
  async step(): Promise<void> {
    if (this.#waits.now() < this.#lookAt) return;
    const now = this.#deps.clock.now();
    // Publish a waiting record first, because the next one replaces it in the store.
    await this.#outbox.sweep();
    await this.#publishContradiction();
    const anchoring = (await this.#recorded('anchoring'))?.record;
    const progress = await this.#progress(anchoring, now);
    this.#unanchoredSince = progress.waiting?.closedAt ?? now;
    this.#unminedSince = await this.#firstUnmined(now);
    await this.#record(judgeAnchoring(progress, anchoring, now));
    await this.#record(judgeFunds(this.#days, (await this.#recorded('funds'))?.record));
    this.#lookAt = this.#waits.now() + ANCHORING_LIMITS.standingMs;
  }

  /**
   * Publishes a contradiction that no step has published: an operator often stops the service because of it.
   */
  async end(): Promise<void> {
    try {
      await this.#publishContradiction();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the contradiction is published after the next start');
    }
  }

  async #publishContradiction(): Promise<void> {
    if (this.#contradicted === undefined) return;
    const found = this.#contradicted;
    const isEvidenceTold = await this.#record(contradictedBy('evidence', found));
    const isAnchoringTold = await this.#record(contradictedBy('anchoring', found));
    // A later step records an alarm that could not be recorded now.
    if (isEvidenceTold && isAnchoringTold && this.#contradicted === found) this.#contradicted = undefined;
  }

  /** Records evidence that a command found wrong; anchoring continues. */
  async evidenceFailed(batch: number): Promise<void> {
    await this.#outbox.sweep();
    await this.#record(contradictedBy('evidence', batch));
  }

  async #progress(recorded: OperationRecord | undefined, now: number): Promise<Progress> {
    const { store } = this.#deps;
    const last = await newestTransaction(store);
    const isCarried = last === undefined || isSpendable(last.record.transaction!);
    const next = isCarried
      ? (await store.get(cuts.name, batchId(last === undefined ? 0 : last.batch + 1)))?.cut
      : last.record.cut;
    // Only a recorded stop can end, so that only then the contradictions are read.
    const isContradicted = recorded?.state === 'wrong' && (await this.#contradictions.open()).length > 0;
    const waiting = next && this.#waiting.of(next, now);
    return { last, waiting, unfunded: this.#unfunded, isContradicted };
  }

  async #firstUnmined(now: number): Promise<number> {
    const open = { where: { open: 1 }, limit: ANCHORING_LIMITS.openTransactions } as const;
    const unmined = (await this.#deps.store.find(transactions.name, open))
      .filter(({ record }) => isUnmined(record.transaction!))
      .sort((a, b) => a.batch - b.batch);
    const first = unmined[0] && this.#unmined.of(unmined[0].record.cut, now).closedAt;
    // Of a later one the time of the last answer counts when the clock that closed it was ahead.
    return Math.min(now, first ?? now, ...unmined.map(({ at, record }) => Math.min(at, record.cut.closedAt)));
  }

  #recorded(kind: OperationKind): Promise<OperationDocument | undefined> {
    return this.#deps.store.get(operations.name, kind);
  }

  /**
   * Records a finding. Returns false when that could not be done now: the log is not available, or another process was
   * first, whose record counts.
   */
  async #record(finding: Finding | undefined): Promise<boolean> {
    if (finding === undefined) return true;
    const before = await this.#recorded(finding.kind);
    const anchoring = finding.kind === 'evidence' ? await this.#recorded('anchoring') : undefined;
    if (!isNewFinding(finding, before?.record, anchoring?.record)) return true;
    // The log is not available now, and an unpublished record must not be replaced.
    if (before?.unpublished !== undefined) return false;
    const at = this.#deps.clock.now();
    const record: OperationRecord = { v: 1, ...finding, rev: (before?.record.rev ?? 0) + 1, at };
    const document = { id: finding.kind, rev: (before?.rev ?? 0) + 1, at, unpublished: 1, record } as const;
    if (!(await this.#write(document, before))) return false;
    await this.#outbox.publish(document);
    return true;
  }

  #write(document: OperationDocument, before: OperationDocument | undefined): Promise<boolean> {
    const { store } = this.#deps;
    return saveIfCurrent(store, operations.name, document, before?.rev);
  }
}
