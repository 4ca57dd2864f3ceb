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

  /** Schedules the next poll after an answer. @returns milliseconds until that poll */
  answered(txid: string, { changed }: { readonly changed: boolean }): number {
    return this.#schedule(txid, changed ? 0 : this.#quietAgain(txid));
  }

  /** Schedules the next poll after the ledger did not answer. @returns milliseconds until that poll */
  unanswered(txid: string): number {
    return this.#schedule(txid, this.#quietAgain(txid));
  }

  #quietAgain(txid: string): number {
    return (this.#next.get(txid)?.quiet ?? 0) + 1;
  }

  /** @param quiet polls in a row without a change */
  #schedule(txid: string, quiet: number): number {
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
