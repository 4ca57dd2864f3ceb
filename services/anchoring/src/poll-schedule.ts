import { backoffMs, type Clock } from '@sentinel-node/platform';
import { ANCHORING_LIMITS } from './limits.ts';

/**
 * Decides when to ask the ledger about a transaction: soon after a change, then ever more rarely. Holds open
 * transactions only.
 * @pool open-transactions
 */
export class PollSchedule {
  readonly #chance: () => number;
  readonly #clock: Clock;
  readonly #next = new Map<string, { readonly at: number; readonly quiet: number }>();

  constructor(chance: () => number, clock: Clock) {
    this.#chance = chance;
    this.#clock = clock;
  }

  isDue(txid: string): boolean {
    return this.#clock.now() >= (this.#next.get(txid)?.at ?? 0);
  }

  /** @returns milliseconds until the next poll */
  answered(txid: string, changed: boolean): number {
    const quiet = changed ? 0 : (this.#next.get(txid)?.quiet ?? 0) + 1;
    const wait = backoffMs(quiet, ANCHORING_LIMITS.pollBackoff, this.#chance());
    this.#next.set(txid, { at: this.#clock.now() + wait, quiet });
    return wait;
  }

  /** Makes the next poll due now; ignores transactions that are not open. */
  makeDue(txid: string): void {
    if (this.#next.has(txid)) this.#next.set(txid, { at: 0, quiet: 0 });
  }

  forget(txid: string): void {
    this.#next.delete(txid);
  }
}
