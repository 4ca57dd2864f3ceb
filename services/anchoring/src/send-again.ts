import { LedgerUnavailableError, type Ledger, type LedgerAnswer } from '@sentinel-node/platform';
import { isSpendable, needsResume } from './domain/transaction-state.ts';

/**
 * Sends transactions again, each after those whose outputs it spends.
 * @param extendedTxs the last one is that which the ledger has set aside
 * @returns the answer to the last one; `known` when it settles nothing, so that what is received and set aside in turns counts as
 * set aside
 */
export async function sendAgain(
  ledger: Pick<Ledger, 'submit'>,
  extendedTxs: readonly string[],
  known: LedgerAnswer,
): Promise<LedgerAnswer> {
  let answer = known;
  for (const extendedTx of extendedTxs) answer = (await tried(() => ledger.submit(extendedTx))) ?? known;
  return isSpendable(answer) || needsResume(answer.status) ? answer : known;
}

/** Returns undefined when the ledger does not answer. */
async function tried<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof LedgerUnavailableError)) throw error;
    return undefined;
  }
}
