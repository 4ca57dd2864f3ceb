/** Lets a bounded number of things happen at a time, in the order of their coming. */
export class Gate {
  readonly #width: number;
  #inside = 0;
  /** @boundedBy one look a file of the configuration */
  readonly #waiting: (() => void)[] = [];

  /** @param width how many at a time */
  constructor(width: number) {
    this.#width = width;
  }

  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#width) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inside += 1;
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside -= 1;
      else next();
    }
  }
}
