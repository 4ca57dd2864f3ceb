/**
 * Signs the transaction of a batch (docs/formats.md): output 0 is the anchor, output 1 the funds and the next seal.
 */
import { PrivateKey } from '@bsv/sdk/primitives';
import { Transaction } from '@bsv/sdk/transaction';
import type { FeePolicy, Funding } from '@sentinel-node/platform';
import { signSpend, type SignedSpend } from './sign-spend.ts';

export interface AnchorInputs {
  /** Anchor script, 113 bytes. */
  readonly script: Uint8Array;
  /** At least one output; the first is the seal, or a funding output for the first anchor. */
  readonly spend: readonly Funding[];
  /** Hex of 32 bytes. */
  readonly privateKey: string;
  readonly policy: FeePolicy;
}

/** `funds` are the satoshis of output 1. */
export type SignedAnchor = SignedSpend;

/** Returns the hash 160 of the compressed public key, hex, to which output 1 pays. */
export function publicKeyHashOf(privateKey: string): string {
  return PrivateKey.fromHex(privateKey).toPublicKey().toHash('hex').toString();
}

/** Returns the script, hex, of an output that pays to a key. @param publicKeyHash as `publicKeyHashOf` gives it */
export const keyScriptOf = (publicKeyHash: string): string => `76a914${publicKeyHash}88ac`;

/** Returns undefined when the spent outputs do not cover the fee and one satoshi. */
export function signAnchor({ script, ...rest }: AnchorInputs): Promise<SignedAnchor | undefined> {
  return signSpend({ data: script, ...rest });
}

/** Returns `txid:index`. */
export function outpointOf({ rawTx, outputIndex }: Funding): string {
  return `${Transaction.fromHex(rawTx).id('hex')}:${outputIndex}`;
}

/**
 * Returns the outputs that a transaction spends, as its Extended Format (BRC-30) claims; scripts in hex. Undefined
 * when that is not the format of `rawTx`.
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
