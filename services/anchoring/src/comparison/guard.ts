import { LedgerUnavailableError } from '@sentinel-node/platform';
import type { Alarms } from '../alarms.ts';
import type { Contradiction, StartComparison } from './start-comparison.ts';

/** Milliseconds between two attempts while the ledger does not answer; each failed attempt is reported. */
const TURN_MS = 1_000;

type Step = () => Promise<void>;

/**
 * Lets anchoring work only on compared data: a contradiction stops cuts and anchors until a person has checked it.
 */
export class Guard {
  readonly #comparison: StartComparison;
  readonly #alarms: Alarms;
  #isLedgerCompared = false;
  #isContradicted = false;

  constructor(comparison: StartComparison, alarms: Alarms) {
    this.#comparison = comparison;
    this.#alarms = alarms;
  }

  get isContradicted(): boolean {
    return this.#isContradicted;
  }

  /** Compares the stored records with each other, and with the ledger if it answers. */
  async begin(): Promise<void> {
    this.#judge(await this.#comparison.stored());
    await this.#compareLedger();
  }

  /** Runs the step unless the data are contradicted. */
  async cut(step: Step): Promise<void> {
    if (!this.#isContradicted) await step();
  }

  /** Runs the step once the records are also compared with the ledger. */
  async anchor(step: Step): Promise<void> {
    await this.#compareLedger();
    if (this.#isLedgerCompared && !this.#isContradicted) await step();
  }

  async #compareLedger(): Promise<void> {
    if (this.#isLedgerCompared || this.#isContradicted) return;
    try {
      this.#judge(await this.#comparison.onLedger());
      this.#isLedgerCompared = true;
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      this.#alarms.unavailable(error, TURN_MS);
    }
  }

  #judge(contradiction: Contradiction | undefined): void {
    if (contradiction === undefined) return;
    this.#isContradicted = true;
    this.#alarms.contradicted(contradiction);
  }
}
