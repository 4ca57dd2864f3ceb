/** Outputs that transactions in blocks spend: two transactions that spend the same output, or skip a seal, are not both of one chain of seals. */
import { fromHex } from '../bytes/bytes.ts';
import { parseTransaction, SEAL_OUTPUT, shownHash } from '../ledger/transaction.ts';
import type { Proof } from './proof.ts';

/** Compares transactions in blocks, in the order of their batches, with those before, in linear time. */
export class SpentSeals {
  readonly #spent = new Set<string>();
  #before: { readonly batch: number; readonly seal: string } | undefined;

  /**
   * Takes the transaction of a batch. Returns false when it spends an output that one before spends, or not the seal of the
   * batch directly before. A transaction that is missing or unreadable says nothing.
   */
  add(batch: number, transaction: Proof['transaction']): boolean {
    const inputs = transaction === null ? undefined : parseTransaction(fromHex(transaction.raw))?.inputs;
    if (transaction === null || inputs === undefined) return true;
    const spent = inputs.map(({ outputIndex, previous }) => `${shownHash(previous)}:${outputIndex}`);
    const isUnsealed = batch - 1 === this.#before?.batch && spent[0] !== this.#before.seal;
    const isSpentTwice = spent.some((output) => this.#spent.has(output));
    for (const output of spent) this.#spent.add(output);
    this.#before = { batch, seal: `${transaction.txid}:${SEAL_OUTPUT}` };
    return !isUnsealed && !isSpentTwice;
  }
}
