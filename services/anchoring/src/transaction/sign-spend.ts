import { Hash, PrivateKey } from '@bsv/sdk/primitives';
import { LockingScript, P2PKH } from '@bsv/sdk/script';
import { Transaction } from '@bsv/sdk/transaction';
import { SatoshisPerKilobyte } from '@bsv/sdk/transaction/fee-models/index';
import { toHex } from '@sentinel-node/contracts';
import type { FeePolicy, Funding } from '@sentinel-node/platform';

export interface Spend {
  /** Script of output 0, which has no satoshis; when absent, the only output is the remainder. */
  readonly data?: Uint8Array;
  /** At least one output; all belong to the key. */
  readonly spend: readonly Funding[];
  /** Hex of 32 bytes. */
  readonly privateKey: string;
  readonly policy: FeePolicy;
}

/** A type instead of an interface, so that documents can hold it. */
export type SignedSpend = {
  readonly txid: string;
  readonly rawTx: string;
  /** Extended Format (BRC-30), hex. */
  readonly extendedTx: string;
  /** `txid:index` of the spent outputs. */
  readonly inputs: readonly string[];
  /** Satoshis of the last output, which pays the remainder to the key. */
  readonly funds: number;
  readonly fee: number;
};

/** Spends outputs of a key to the same key. Returns undefined when the outputs do not cover the fee and one satoshi. */
export async function signSpend({
  data,
  spend,
  privateKey,
  policy,
}: Spend): Promise<SignedSpend | undefined> {
  const key = PrivateKey.fromHex(privateKey);
  const template = new P2PKH();
  const tx = new Transaction();
  for (const { rawTx, outputIndex } of spend) {
    tx.addInput({
      sourceTransaction: Transaction.fromHex(rawTx),
      sourceOutputIndex: outputIndex,
      unlockingScriptTemplate: template.unlock(key),
      sequence: 0xffffffff,
    });
  }
  if (data !== undefined) tx.addOutput({ lockingScript: LockingScript.fromHex(toHex(data)), satoshis: 0 });
  const changeIndex = tx.outputs.length;
  tx.addOutput({ lockingScript: template.lock(Hash.hash160(key.toPublicKey().encode(true))), change: true });
  await tx.fee(new SatoshisPerKilobyte((policy.satoshis / policy.bytes) * 1_000));
  const funds = tx.outputs[changeIndex]?.satoshis;
  if (funds === undefined) return undefined;
  await tx.sign();
  return {
    txid: tx.id('hex'),
    rawTx: tx.toHex(),
    extendedTx: tx.toHexEF(),
    inputs: tx.inputs.map((input) => `${input.sourceTransaction!.id('hex')}:${input.sourceOutputIndex}`),
    funds,
    fee: tx.getFee(),
  };
}
