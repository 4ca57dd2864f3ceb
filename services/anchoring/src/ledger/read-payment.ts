/**
 * Reads payments that a person imports: BEEF (BRC-62, BRC-95, BRC-96) or a raw transaction. All input is untrusted.
 */
import { Beef } from '@bsv/sdk/transaction';
import { toBase58Check } from '@bsv/sdk/primitives/utils';
import { anchorOf, fromHex, isCoinbase, parseTransaction, shownHash, toHex } from '@sentinel-node/contracts';
import { keyScriptOf } from '../transaction/sign-anchor.ts';

export interface Payment {
  readonly txid: string;
  /** Hex. */
  readonly rawTx: string;
  /** BRC-74, hex; undefined when the transaction came without a path. */
  readonly merklePath: string | undefined;
  /** Whether it is the reward of a block, whose outputs cannot be spent for the next 100 blocks. */
  readonly isCoinbase: boolean;
  /** Outputs that pay to the key alone (P2PKH). */
  readonly outputs: readonly { readonly index: number; readonly satoshis: number }[];
}

/** Longest payment that is read, in bytes. */
export const MAX_PAYMENT_BYTES = 1_048_576;

/** Returns the transactions with outputs to the key; undefined for bytes of neither form. @param publicKeyHash hex */
export function readPayments(bytes: Uint8Array, publicKeyHash: string): readonly Payment[] | undefined {
  if (bytes.length > MAX_PAYMENT_BYTES) return undefined;
  const found = readBeef(bytes) ?? [{ raw: bytes, merklePath: undefined }];
  const payments = found.map((one) => paymentOf(one, publicKeyHash));
  const whole = payments.filter((payment) => payment !== undefined);
  return whole.length === found.length ? whole.filter(({ outputs }) => outputs.length > 0) : undefined;
}

interface Found {
  readonly raw: Uint8Array;
  readonly merklePath: string | undefined;
}

/**
 * Returns undefined unless the bytes are exactly one transaction, because the library accepts trailing bytes. An
 * anchor's output to the key is a seal, and left out.
 */
function paymentOf({ raw, merklePath }: Found, publicKeyHash: string): Payment | undefined {
  const parsed = parseTransaction(raw);
  if (parsed === undefined) return undefined;
  const script = keyScriptOf(publicKeyHash);
  const spendable = anchorOf(parsed) === undefined ? parsed.outputs : [];
  const outputs = spendable.flatMap(({ satoshis, script: locking }, index) =>
    toHex(locking) === script && satoshis > 0 ? [{ index, satoshis }] : [],
  );
  return {
    ...{ txid: shownHash(parsed.hash), rawTx: toHex(raw), merklePath },
    ...{ isCoinbase: isCoinbase(parsed), outputs },
  };
}

/** Returns undefined for bytes that are not BEEF, or that declare themselves inconsistent. */
function readBeef(bytes: Uint8Array): readonly Found[] | undefined {
  try {
    const beef = Beef.fromBinary([...bytes]);
    return beef.txs.flatMap(({ tx, bumpIndex }): Found[] => {
      const merklePath = bumpIndex === undefined ? undefined : beef.bumps[bumpIndex]?.toHex();
      return tx === undefined ? [] : [{ raw: Uint8Array.from(tx.toBinary()), merklePath }];
    });
  } catch {
    return undefined;
  }
}

const MAIN_PREFIX = 0x00;
const TEST_PREFIX = 0x6f;

/** Returns the address to pay to, Base58Check. */
export function addressOf(publicKeyHash: string, network: string): string {
  return toBase58Check([...fromHex(publicKeyHash)], [network === 'main' ? MAIN_PREFIX : TEST_PREFIX]);
}
