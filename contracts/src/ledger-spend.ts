/** Runs the scripts of an input by the ledger's own library; apart from the index, since most callers need none of it. */
import { LockingScript, Spend } from '@bsv/sdk/script';
import { Transaction } from '@bsv/sdk/transaction';
import { toHex } from './bytes.ts';
import type { SpendCheck } from './seal.ts';

/** False also for bytes that the library cannot read, or a script that throws. */
export const verifySpend: SpendCheck = ({ raw, inputIndex, spent }) => {
  try {
    const tx = Transaction.fromHex(toHex(raw));
    const input = tx.inputs[inputIndex];
    if (input === undefined) return false;
    return new Spend({
      sourceTXID: input.sourceTXID!,
      sourceOutputIndex: input.sourceOutputIndex,
      lockingScript: LockingScript.fromHex(toHex(spent.script)),
      sourceSatoshis: spent.satoshis,
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
};
