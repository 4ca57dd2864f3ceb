import { fromHex } from '@sentinel-node/contracts';
import type { TransactionOutput } from '@sentinel-node/contracts';
import { outputsSpentBy } from '../transaction/sign-anchor.ts';
import type { TransactionDocument } from '../collections.ts';

type SpentOutputs = NonNullable<ReturnType<typeof outputsSpentBy>>;

/**
 * Returns the outputs that a stored anchor spends besides the previous anchor's seal, as in its Extended Format;
 * undefined when that is not the stored transaction. The signatures cover the data of these outputs.
 */
export function spentOutputs({
  batch,
  extendedTx,
  rawTx,
}: TransactionDocument): TransactionOutput[] | undefined {
  const spent = outputsSpentBy(extendedTx, rawTx);
  return spent && besideSeal(batch, spent);
}

/** Returns the outputs without the previous anchor's seal. @param spent all that the anchor of the batch spends */
export const besideSeal = (batch: number, spent: SpentOutputs): TransactionOutput[] =>
  spent.slice(batch === 0 ? 0 : 1).map(({ satoshis, script }) => ({ satoshis, script: fromHex(script) }));
