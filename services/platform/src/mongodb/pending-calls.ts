import { OverloadedError } from '../ports/errors.ts';

/**
 * Counts the running calls, so that they can be limited and awaited.
 * @pool mongodb-calls
 */
export class PendingCalls {
  readonly #calls: number;
  readonly #bytes: number;
  #pending = 0;
  #pendingBytes = 0;
  #drained: (() => void)[] = [];

  constructor(limits: { readonly pendingCalls: number; readonly pendingBytes: number }) {
    this.#calls = limits.pendingCalls;
    this.#bytes = limits.pendingBytes;
  }

  get pending(): number {
    return this.#pending;
  }

  /** Runs a call; a single call may exceed the byte limit if it runs alone. @throws OverloadedError */
  async run<T>(bytes: number, call: () => Promise<T>): Promise<T> {
    const isFull = this.#pendingBytes > 0 && this.#pendingBytes + bytes > this.#bytes;
    if (this.#pending >= this.#calls || (bytes > 0 && isFull))
      throw new OverloadedError('too many calls wait for the document store');
    this.#pending++;
    this.#pendingBytes += bytes;
    try {
      return await call();
    } finally {
      this.#pending--;
      this.#pendingBytes -= bytes;
      if (this.#pending === 0) for (const resolve of this.#drained.splice(0)) resolve();
    }
  }

  /** Resolves when no call is running. */
  async drain(): Promise<void> {
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }
}
