/** A difference found by the audit. */
export interface Finding {
  readonly check:
    | 'views'
    | 'indexes'
    | 'verdicts'
    | 'heads'
    | 'streams'
    | 'claims'
    | 'reservations'
    | 'chains'
    | 'owners'
    | 'batches'
    | 'anchors'
    | 'receipts';
  readonly what: string;
}

export interface Contradiction {
  readonly batch: number;
  /** Text for the operator. */
  readonly what: string;
}

/** Most findings reported in full; further ones are only counted. */
const REPORTED = 20;

export class Findings {
  readonly reported: Finding[] = [];
  count = 0;
  /** The first batch that contradicts its transaction, the ledger, or a kept checkpoint. */
  contradiction: Contradiction | undefined;

  add(check: Finding['check'], what: string): void {
    this.count += 1;
    if (this.reported.length < REPORTED) this.reported.push({ check, what });
  }

  /**
   * Adds a difference that write access to the stores cannot explain away, because others have the contradicting data.
   */
  contradict(batch: number, what: string): void {
    this.add('anchors', `batch ${batch}: ${what}`);
    if (this.contradiction === undefined || batch < this.contradiction.batch)
      this.contradiction = { batch, what };
  }
}
