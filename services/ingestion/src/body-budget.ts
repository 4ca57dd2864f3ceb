import { OverloadedError } from '@sentinel-node/platform';

/** Bytes of request bodies that may be held at once, all requests together. */
export class BodyBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  share(): BudgetShare {
    return new BudgetShare(this);
  }

  /** @throws OverloadedError */
  take(bytes: number): void {
    if (this.#usedBytes + bytes > this.#maxBytes)
      throw new OverloadedError(`more than ${this.#maxBytes} bytes of request bodies`);
    this.#usedBytes += bytes;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

/** What one request holds. */
export class BudgetShare {
  readonly #budget: BodyBudget;
  #bytes = 0;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** @throws OverloadedError */
  take(bytes: number): void {
    this.#budget.take(bytes);
    this.#bytes += bytes;
  }

  /** Idempotent. */
  release(): void {
    this.#budget.give(this.#bytes);
    this.#bytes = 0;
  }
}
