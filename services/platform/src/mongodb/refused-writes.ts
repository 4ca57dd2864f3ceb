import { messageOf } from '@sentinel-node/contracts/thrown';
import type { Log } from '../logging/log.ts';

export interface RefusedWritesLimits {
  /** Milliseconds without a write that succeeded after which refusals count. */
  readonly refusedWritesMs: number;
  /** Milliseconds between two writes that ask whether writes succeed again. */
  readonly writeProbeMs: number;
}

/**
 * Knows whether the store has refused writes for long: a full disk, blocked writes, or no majority, while its servers answer
 * heartbeats. From the first refusal until the next success it writes now and then itself, because nobody else may.
 */
export class RefusedWrites {
  readonly #probe: () => Promise<unknown>;
  readonly #limits: RefusedWritesLimits;
  readonly #log: Log;
  #since: number | undefined;
  #isTold = false;
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> | undefined;
  #isStopped = false;

  /** @param probe writes a document of its own */
  constructor(probe: () => Promise<unknown>, limits: RefusedWritesLimits, log: Log) {
    this.#probe = probe;
    this.#limits = limits;
    this.#log = log;
  }

  /** Whether no write has succeeded for `refusedWritesMs` since one was refused. */
  get isLong(): boolean {
    return this.#since !== undefined && performance.now() - this.#since > this.#limits.refusedWritesMs;
  }

  /** Notes a write that was refused, and may succeed later. */
  refused(): void {
    if (this.#isStopped || this.#since !== undefined) return;
    this.#since = performance.now();
    this.#timer = setInterval(() => {
      this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    }, this.#limits.writeProbeMs);
    this.#timer.unref();
  }

  /** Notes a write that succeeded. */
  succeeded(): void {
    if (this.#since === undefined) return;
    this.#since = undefined;
    clearInterval(this.#timer);
    if (this.#isTold) this.#log.info('the document store takes writes');
    this.#isTold = false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      await this.#probe();
      this.succeeded();
    } catch (error) {
      if (!this.isLong || this.#isTold) return;
      this.#isTold = true;
      this.#log.warn({ error: messageOf(error) }, 'the document store refuses writes');
    }
  }
}
