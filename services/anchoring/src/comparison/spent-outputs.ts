import { fromHex } from '@sentinel-node/contracts';
import type { TransactionOutput } from '@sentinel-node/contracts';
import { outputsSpentBy } from '../transaction/sign-anchor.ts';
import type { TransactionDocument } from '../collections.ts';

/**
 * Outputs that a stored anchor spends besides the seal of the one before, by its Extended Format; undefined when that is
 * not the stored transaction. What they claim is covered by the signatures.
 */
export function spentOutputs({
  batch,
  extendedTx,
  rawTx,
}: TransactionDocument): TransactionOutput[] | undefined {
  const spent = outputsSpentBy(extendedTx, rawTx);
  return spent
    ?.slice(batch === 0 ? 0 : 1)
    .map(({ satoshis, script }) => ({ satoshis, script: fromHex(script) }));
}
