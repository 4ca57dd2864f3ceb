/** A difference that the audit found; the first of each kind is told, the rest are counted. */
export interface Finding {
  readonly check: 'views' | 'verdicts' | 'chains' | 'batches' | 'anchors';
  readonly what: string;
}

export interface Contradiction {
  readonly batch: number;
  /** For a person. */
  readonly what: string;
}

/** Findings told in full; beyond, they are counted only. */
const TOLD = 20;

export class Findings {
  readonly told: Finding[] = [];
  count = 0;
  /** The first batch that says something else than its transaction, the ledger, or a kept checkpoint. */
  contradiction: Contradiction | undefined;

  add(check: Finding['check'], what: string): void {
    this.count += 1;
    if (this.told.length < TOLD) this.told.push({ check, what });
  }

  /** A difference that whoever can write the stores cannot explain away: others hold what is contradicted. */
  contradict(batch: number, what: string): void {
    this.add('anchors', `batch ${batch}: ${what}`);
    if (this.contradiction === undefined || batch < this.contradiction.batch)
      this.contradiction = { batch, what };
  }
}
