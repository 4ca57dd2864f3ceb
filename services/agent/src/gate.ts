/**
 * Most looks at the same time; each look has at most two files open. A look at a file system that does not answer holds one of libuv's
 * threads, which names of hosts, compression and receipts need too: UV_THREADPOOL_SIZE sets their number.
 */
export const LOCAL_LOOKS = 32;
const REMOTE_LOOKS = 128;

interface Waiting {
  readonly enter: () => void;
  readonly length: number;
}

/** Limits how many calls run at the same time; further calls wait in order, the shorter before the longer. */
export class Gate {
  readonly #width: number;
  #inside = 0;
  /** @boundedBy one look, or one read, a file of the configuration */
  readonly #waiting: Waiting[] = [];

  /** @param width most calls at the same time */
  constructor(width: number) {
    this.#width = width;
  }

  /** Whether calls wait for others to end. */
  get isCrowded(): boolean {
    return this.#waiting.length > 0;
  }

  /** @param length of the call, by which it goes before longer ones */
  async run<T>(act: () => Promise<T>, length = 0): Promise<T> {
    if (this.#isFull) await new Promise<void>((enter) => this.#wait({ enter, length }));
    else this.#inside += 1;
    try {
      return await act();
    } finally {
      this.#leave();
    }
  }

  /** Runs a part of a call of `run` that needs no place; the call then goes on before those that wait for their begin. */
  async outside<T>(act: () => Promise<T>): Promise<T> {
    this.#leave();
    try {
      return await act();
    } finally {
      if (this.#isFull)
        await new Promise<void>((enter) => this.#waiting.unshift({ enter, length: -Infinity }));
      else this.#inside += 1;
    }
  }

  get #isFull(): boolean {
    return this.#inside >= this.#width;
  }

  #wait(waiting: Waiting): void {
    const before = this.#waiting.findLastIndex(({ length }) => length <= waiting.length);
    this.#waiting.splice(before + 1, 0, waiting);
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inside -= 1;
    else next.enter();
  }
}

/** Limits of simultaneous looks: one for local files, one for remote files, which may hang. */
export class Looks {
  readonly local = new Gate(LOCAL_LOOKS);
  readonly remote = new Gate(REMOTE_LOOKS);
}
