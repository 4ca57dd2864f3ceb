import { LedgerUnavailableError, WaitClock, type Clock, type Log } from '@sentinel-node/platform';
import type { Alarms } from '../alarms.ts';
import type { ContradictionDocument } from '../collections.ts';
import { isRetryable } from '../errors.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import type { ConfirmedBlocks } from '../reorganisation/confirmed-blocks.ts';
import type { Contradictions } from './contradictions.ts';
import type { Contradiction, StartComparison } from './start-comparison.ts';

/** Milliseconds between two attempts while the ledger does not answer; each failed attempt is reported. */
const TURN_MS = 1_000;

type Step = () => Promise<void>;

export interface GuardDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly comparison: Pick<StartComparison, 'stored' | 'onLedger'>;
  readonly contradictions: Contradictions;
  /** What a reorganisation took back is no contradiction. */
  readonly blocks: Pick<ConfirmedBlocks, 'settle'>;
  readonly alarms: Alarms;
}

/**
 * Lets anchoring work only on compared data: a contradiction stops the cuts and anchors of every process until its
 * batch was compared again and fits.
 * @boundedBy ANCHORING_LIMITS.openContradictions
 */
export class Guard {
  readonly #deps: GuardDeps;
  /** The contradiction that this process found; only another start compares anew. */
  #own: Contradiction | undefined;
  #isRecorded = false;
  /** Recorded contradictions that no comparison has ended, as last read. */
  #open: readonly ContradictionDocument[] = [];
  /** Those that this start compares again. */
  #again: readonly ContradictionDocument[] = [];
  #isLedgerCompared = false;
  #lookAt = 0;
  readonly #waits: WaitClock;

  constructor(deps: GuardDeps) {
    this.#deps = deps;
    this.#waits = new WaitClock(deps.clock);
  }

  get isContradicted(): boolean {
    return this.#own !== undefined || this.#open.length > 0;
  }

  /** Compares the stored records with each other, and with the ledger if it answers. */
  async begin(): Promise<void> {
    await this.#look('held');
    this.#again = this.#open;
    const found = await this.#deps.comparison.stored(this.#again.map(({ batch }) => batch));
    if (!(await this.#isContradiction(found))) await this.#compareLedger();
  }

  /** Looks now and then whether another process found a contradiction, or ended one. */
  async step(): Promise<void> {
    const now = this.#waits.now();
    if (now < this.#lookAt) return;
    if (this.#own === undefined) await this.#look();
    else if (!this.#isRecorded) await this.#record(this.#own);
    this.#lookAt = now + ANCHORING_LIMITS.contradictionLookMs;
  }

  /** Runs the step unless the data are contradicted. */
  async cut(step: Step): Promise<void> {
    if (!this.isContradicted) await step();
  }

  /** Runs the step once the records are also compared with the ledger. */
  async anchor(step: Step): Promise<void> {
    await this.#compareLedger();
    if (this.#isLedgerCompared && !this.isContradicted) await step();
  }

  async #compareLedger(): Promise<void> {
    if (this.#isLedgerCompared || this.#own !== undefined) return;
    const { alarms, blocks, comparison, contradictions } = this.#deps;
    try {
      await blocks.settle();
      if (await this.#isContradiction(await comparison.onLedger())) return;
      await contradictions.end(this.#again);
      this.#isLedgerCompared = true;
      if (this.#again.length > 0) await this.#look();
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      alarms.unavailable(error, TURN_MS);
    }
  }

  /** @param alarm reports the first recorded contradiction when it is another than before */
  async #look(alarm: 'held' | 'contradicted' = 'contradicted'): Promise<void> {
    const { alarms, contradictions } = this.#deps;
    const before = this.#open[0]?.batch;
    this.#open = await contradictions.open();
    const [first] = this.#open;
    if (first?.batch === before) return;
    if (first === undefined) alarms.released();
    else alarms[alarm](first);
  }

  /** Returns whether a comparison found a contradiction, which then stops every process. */
  async #isContradiction(found: Contradiction | undefined): Promise<boolean> {
    if (found === undefined) return false;
    this.#own = found;
    this.#deps.alarms.contradicted(found);
    await this.#record(found);
    return true;
  }

  /** Records the contradiction; while the store takes nothing, the alarm alone says it, and a later step tries again. */
  async #record(contradiction: Contradiction): Promise<void> {
    const { contradictions, log } = this.#deps;
    try {
      this.#isRecorded = await contradictions.found(contradiction);
    } catch (error) {
      if (!isRetryable(error)) throw error;
      log.warn({ err: error, batch: contradiction.batch }, 'the contradiction is recorded later');
    }
  }
}
