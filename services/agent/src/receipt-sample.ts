import type { KeptReceipt } from '@sentinel-node/contracts';
import { linkDueAt, type Promised } from './domain/promise.ts';
import type { Unanswered } from './io/receipt-folder.ts';

/** A receipt whose proof is asked for. */
export interface Asked extends Promised {
  readonly receipt: KeptReceipt;
  /** Server's time of the next question, in ms. */
  dueAt: number;
  /** Server's time of the first ask in a row that the server left open, in ms. */
  since: number | undefined;
  /** Signed checkpoint that the kept log did not reach yet, and the number of looks at the log then. */
  ahead: { readonly note: string; readonly looks: number } | undefined;
}

/** Most receipts that were not asked about yet; from more, a random sample is kept. */
export const WAITING = 200;
/** Most receipts whose question is not settled. */
const UNSETTLED = 200;

/**
 * The receipts that the agent asks about. Later ones take the places of those that were not asked about yet, never that of an
 * unsettled question: else whoever dropped a report could leave the question open until it is forgotten.
 */
export class ReceiptSample {
  /** Receipts that were not asked about, or whose question has no place among the unsettled ones. @boundedBy WAITING */
  #waiting: Asked[] = [];
  #seen = 0;
  /** The oldest question first. @boundedBy UNSETTLED */
  #unsettled: Asked[] = [];

  /** The receipts without an answer. */
  get unanswered(): readonly Unanswered[] {
    return this.#unsettled.flatMap(({ receipt, since }) => (since === undefined ? [] : { receipt, since }));
  }

  get hashes(): ReadonlySet<string> {
    return new Set([...this.#unsettled, ...this.#waiting].map(({ reportHash }) => reportHash));
  }

  /** Adds a receipt; beyond `WAITING`, each has the same chance (reservoir sampling: Vitter 1985, algorithm R). */
  add(receipt: KeptReceipt): void {
    this.#seen += 1;
    if (this.#waiting.length < WAITING) return void this.#waiting.push(askedOf(receipt));
    const place = Math.floor(Math.random() * this.#seen);
    if (place < WAITING) this.#waiting[place] = askedOf(receipt);
  }

  /** Adds receipts without an answer, of the last run. */
  addUnanswered(all: readonly Unanswered[]): void {
    for (const { receipt, since } of all)
      if (this.#unsettled.length < UNSETTLED) this.#unsettled.push({ ...askedOf(receipt), since });
  }

  /** Returns `count` due receipts at most, at most one of them without an answer. */
  due(now: number, count: number): readonly Asked[] {
    const due = [...this.#unsettled, ...this.#waiting].filter(({ dueAt }) => dueAt <= now);
    const again = due.filter(({ since }) => since !== undefined).slice(0, 1);
    const first = due.filter(({ since }) => since === undefined).slice(0, count - again.length);
    return [...first, ...again];
  }

  /**
   * Plans the next question about a receipt. @param since as in `Asked`
   * @returns whether the receipt has a place that no later one takes
   */
  askAgain(one: Asked, dueAt: number, since: number | undefined): boolean {
    one.dueAt = dueAt;
    if (!this.#unsettled.includes(one)) {
      if (this.#unsettled.length >= UNSETTLED) return false;
      this.settle(one);
      this.#unsettled.push(one);
    }
    one.since = since;
    return true;
  }

  /** Removes a receipt whose question is settled. */
  settle(one: Asked): void {
    const isOther = (other: Asked): boolean => other !== one;
    this.#unsettled = this.#unsettled.filter(isOther);
    if (!this.#waiting.includes(one)) return;
    this.#waiting = this.#waiting.filter(isOther);
    this.#seen = this.#waiting.length;
  }
}

function askedOf(receipt: KeptReceipt): Asked {
  const { fileId, reportHash } = receipt;
  const promised = { fileId, reportHash, acceptedAt: receipt.receipt.acceptedAt };
  return { ...promised, receipt, dueAt: linkDueAt(promised), since: undefined, ahead: undefined };
}
