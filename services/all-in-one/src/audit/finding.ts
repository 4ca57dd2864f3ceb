/** A difference that the audit found; the first of each kind is told, the rest are counted. */
export interface Finding {
  readonly check: 'views' | 'verdicts' | 'chains' | 'batches';
  readonly what: string;
}

/** Findings told in full; beyond, they are counted only. */
const TOLD = 20;

export class Findings {
  readonly told: Finding[] = [];
  count = 0;

  add(check: Finding['check'], what: string): void {
    this.count += 1;
    if (this.told.length < TOLD) this.told.push({ check, what });
  }
}
