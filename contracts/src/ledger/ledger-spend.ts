/** Runs the scripts of an input with the ledger's own library. Not in the index, because most callers do not need it. */
import { LockingScript, Spend } from '@bsv/sdk/script';
import { Transaction, type TransactionOutput } from '@bsv/sdk/transaction';
import { toHex } from '../bytes/bytes.ts';
import type { SpendCheck } from './seal.ts';

/** Returns false also for bytes that the library cannot read and for a script that throws. */
export const verifySpend: SpendCheck = ({ raw, inputIndex, spent }) => {
  try {
    const lockingScript = LockingScript.fromHex(toHex(spent.script));
    return inputUnlocks(Transaction.fromHex(toHex(raw)), inputIndex, {
      lockingScript,
      satoshis: spent.satoshis,
    });
  } catch {
    return false;
  }
};

/**
 * Returns true when an input of a parsed transaction unlocks the output that it spends.
 * @param inputIndex from 0; false when the transaction has no such input
 */
export function inputUnlocks(
  tx: Transaction,
  inputIndex: number,
  spent: Pick<TransactionOutput, 'lockingScript' | 'satoshis'>,
): boolean {
  const input = tx.inputs[inputIndex];
  if (input === undefined) return false;
  try {
    return new Spend({
      sourceTXID: input.sourceTXID!,
      sourceOutputIndex: input.sourceOutputIndex,
      lockingScript: spent.lockingScript,
      sourceSatoshis: spent.satoshis!,
      transactionVersion: tx.version,
      otherInputs: tx.inputs.filter((_, index) => index !== inputIndex),
      unlockingScript: input.unlockingScript!,
      inputSequence: input.sequence!,
      inputIndex,
      outputs: tx.outputs,
      lockTime: tx.lockTime,
    }).validate();
  } catch {
    return false;
  }
}
