/** The transaction of a batch (docs/formats.md): output 0 the anchor, output 1 the funds and seal of the next. */
import { Hash, PrivateKey } from '@bsv/sdk/primitives';
import { LockingScript, P2PKH } from '@bsv/sdk/script';
import { Transaction } from '@bsv/sdk/transaction';
import { SatoshisPerKilobyte } from '@bsv/sdk/transaction/fee-models/index';
import { SEAL_OUTPUT, toHex } from '@sentinel-node/contracts';
import type { FeePolicy, Funding } from '@sentinel-node/platform';

export interface AnchorInputs {
  /** 113 bytes. */
  readonly script: Uint8Array;
  /** At least one; the first is the seal, or a funding output for the first anchor. */
  readonly spend: readonly Funding[];
  /** Hex of 32 bytes. */
  readonly privateKey: string;
  readonly policy: FeePolicy;
}

/** A type, so that documents can hold it. */
export type SignedAnchor = {
  readonly txid: string;
  readonly rawTx: string;
  /** Extended Format (BRC-30), hex. */
  readonly extendedTx: string;
  /** `txid:index` of what it spends. */
  readonly inputs: readonly string[];
  /** Satoshis of output 1. */
  readonly funds: number;
  readonly fee: number;
};

/** Hash 160 of the compressed public key, hex: whom output 1 pays to. */
export function publicKeyHashOf(privateKey: string): string {
  return PrivateKey.fromHex(privateKey).toPublicKey().toHash('hex').toString();
}

/** undefined when what is spent does not cover the fee and one satoshi. */
export async function signAnchor(anchor: AnchorInputs): Promise<SignedAnchor | undefined> {
  const key = PrivateKey.fromHex(anchor.privateKey);
  const template = new P2PKH();
  const tx = new Transaction();
  for (const { rawTx, outputIndex } of anchor.spend) {
    tx.addInput({
      sourceTransaction: Transaction.fromHex(rawTx),
      sourceOutputIndex: outputIndex,
      unlockingScriptTemplate: template.unlock(key),
      sequence: 0xffffffff,
    });
  }
  tx.addOutput({ lockingScript: LockingScript.fromHex(toHex(anchor.script)), satoshis: 0 });
  tx.addOutput({
    lockingScript: template.lock(Hash.hash160(key.toPublicKey().encode(true))),
    change: true,
  });
  await tx.fee(new SatoshisPerKilobyte((anchor.policy.satoshis / anchor.policy.bytes) * 1_000));
  const funds = tx.outputs[SEAL_OUTPUT]?.satoshis;
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

/** `txid:index`. */
export function outpointOf({ rawTx, outputIndex }: Funding): string {
  return `${Transaction.fromHex(rawTx).id('hex')}:${outputIndex}`;
}

/**
 * The outputs that the inputs of a transaction spend, as its Extended Format (BRC-30) claims; scripts in hex. undefined
 * when it is not that of `rawTx`.
 */
export function outputsSpentBy(
  extendedTx: string,
  rawTx: string,
): { readonly satoshis: number; readonly script: string }[] | undefined {
  try {
    const tx = Transaction.fromHexEF(extendedTx);
    if (tx.toHex() !== rawTx) return undefined;
    return tx.inputs.map((input) => {
      const output = input.sourceTransaction!.outputs[input.sourceOutputIndex]!;
      return { satoshis: output.satoshis!, script: output.lockingScript.toHex() };
    });
  } catch {
    return undefined;
  }
}
