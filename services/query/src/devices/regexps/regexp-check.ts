import { ApiError, LRUCache } from '@sentinel-node/platform';
import { REGEXP_WORK } from './limits.ts';
import { RegexpThread } from './regexp-thread.ts';

type Limits = { readonly [K in keyof typeof REGEXP_WORK]: number };

/**
 * Checks off the main thread whether expressions are RE2 syntax, and keeps recent verdicts.
 * @pool expressions, expression-verdicts
 */
export class RegexpCheck {
  readonly #limits: Limits;
  readonly #thread: RegexpThread;
  /** Verdicts by expression. */
  readonly #kept: LRUCache<string, boolean>;
  readonly #waitingOf = new Map<string, number>();
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: Limits = REGEXP_WORK, thread = new RegexpThread(limits.deadlineMs)) {
    this.#limits = limits;
    this.#thread = thread;
    this.#kept = new LRUCache({ max: limits.keptVerdicts });
  }

  /** Number of expressions that wait or are being checked. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * @param pattern at most `LIMITS.regexpProgramSteps` large
   * @throws ApiError RATE_LIMITED, OVERLOADED when too many wait, or the machine is too busy to answer within the
   * deadline
   */
  async isRe2(orgId: string, pattern: string): Promise<boolean> {
    const kept = this.#kept.get(pattern);
    if (kept !== undefined) return kept;
    const leave = this.#enter(orgId);
    try {
      const mine = this.#last.then(() => this.#kept.get(pattern) ?? this.#try(pattern));
      this.#last = mine.catch(() => undefined);
      const verdict = await mine;
      this.#kept.set(pattern, verdict);
      return verdict;
    } finally {
      leave();
    }
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }

  async #try(pattern: string): Promise<boolean> {
    for (let tries = 0; tries < this.#limits.tries; tries++) {
      const tried = await this.#thread.try(pattern, 2 ** tries);
      if (tried !== 'late') return tried === 'valid';
    }
    throw new ApiError('OVERLOADED', { detail: 'An expression could not be checked in time.' });
  }

  #enter(orgId: string): () => void {
    const own = this.#waitingOf.get(orgId) ?? 0;
    if (own >= this.#limits.waitingPerOrganization)
      throw new ApiError('RATE_LIMITED', {
        detail: 'Too many expressions of this organization are being checked.',
      });
    if (this.#waiting >= this.#limits.waiting)
      throw new ApiError('OVERLOADED', { detail: 'Too many expressions are being checked.' });
    this.#waitingOf.set(orgId, own + 1);
    this.#waiting++;
    return () => {
      this.#waiting--;
      const left = this.#waitingOf.get(orgId)! - 1;
      if (left === 0) this.#waitingOf.delete(orgId);
      else this.#waitingOf.set(orgId, left);
    };
  }
}
