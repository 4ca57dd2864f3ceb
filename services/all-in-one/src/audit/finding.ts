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
    | 'receipts'
    | 'deployment';
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
  /** The first findings of each group. */
  readonly #first = new Map<string, Finding[]>();
  readonly #counts = new Map<Finding['check'], number>();
  /** The first batch that contradicts its transaction, the ledger, or a kept checkpoint. */
  contradiction: Contradiction | undefined;

  add(check: Finding['check'], what: string): void {
    this.#counts.set(check, (this.#counts.get(check) ?? 0) + 1);
    const group = groupOf({ check, what });
    const first = this.#first.get(group) ?? [];
    if (first.length === 0) this.#first.set(group, first);
    if (first.length < REPORTED) first.push({ check, what });
  }

  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Number of findings of each check that has any. */
  get counts(): Readonly<Partial<Record<Finding['check'], number>>> {
    return Object.fromEntries(this.#counts);
  }

  /** The findings to report: of each check and each view about as many, so that none hides what others found. */
  get reported(): readonly Finding[] {
    const groups = [...this.#first.values()];
    const rounds = Array.from({ length: REPORTED }, (_, round) =>
      groups.flatMap((first) => first[round] ?? []),
    );
    const chosen = new Set(rounds.flat().slice(0, REPORTED));
    return groups.flat().filter((finding) => chosen.has(finding));
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

/** Returns the check, or the view that a finding of `views` names first. */
const groupOf = ({ check, what }: Finding): string =>
  check === 'views' ? `views ${what.split(' ', 1).join('')}` : check;
