/** A transaction of the ledger, parsed as a whole. */
import { sha256 } from '#sha256';
import { parseAnchorScript, type Anchor } from './anchor-script.ts';
import { ByteReader } from '../bytes/byte-reader.ts';
import { toHex } from '../bytes/bytes.ts';
import { PROOF_LIMITS } from '../proof-limits.ts';

export interface TransactionInput {
  /** In the byte order of hashing, not of explorers. */
  readonly previous: Uint8Array;
  readonly outputIndex: number;
  /** Unlocking script. */
  readonly script: Uint8Array;
}

export interface TransactionOutput {
  readonly satoshis: number;
  readonly script: Uint8Array;
}

export interface LedgerTransaction {
  /** H(H(bytes)), in the byte order of hashing. */
  readonly hash: Uint8Array;
  readonly inputs: readonly TransactionInput[];
  readonly outputs: readonly TransactionOutput[];
}

/** CVE-2017-12842: 64 bytes could be two hashes, that is an inner node of a block's tree. */
const NODE_BYTES = 64;
const COINBASE_INDEX = 0xffff_ffff;

/** Parses exactly one transaction with inputs and outputs, not of 64 bytes. Returns undefined for other bytes. */
export function parseTransaction(bytes: Uint8Array): LedgerTransaction | undefined {
  if (bytes.length > PROOF_LIMITS.transactionBytes || bytes.length === NODE_BYTES) return undefined;
  try {
    const reader = new ByteReader(bytes);
    reader.u32();
    const inputs = readList(reader, readInput);
    const outputs = readList(reader, readOutput);
    reader.u32();
    const isWhole = reader.isAtEnd && inputs.length > 0 && outputs.length > 0;
    return isWhole ? { hash: doubleSha256(bytes), inputs, outputs } : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the anchor in output 0, which must hold 0 satoshis. No other output may have the form of an anchor. */
export function anchorOf({ outputs }: LedgerTransaction): Anchor | undefined {
  const anchors = outputs.map(({ script }) => parseAnchorScript(script));
  const [first, ...others] = anchors;
  if (outputs[0]!.satoshis !== 0 || others.some((other) => other !== undefined)) return undefined;
  return first;
}

/** Output of an anchor that holds the funds; input 0 of the next anchor spends it. */
export const SEAL_OUTPUT = 1;

/** Returns the output that the next anchor spends; undefined when it is missing or worth nothing. */
export function sealOf({ outputs }: LedgerTransaction): TransactionOutput | undefined {
  const seal = outputs[SEAL_OUTPUT];
  return seal !== undefined && seal.satoshis > 0 ? seal : undefined;
}

/** Returns true when every input names a real output and has an unlocking script. Checks no signature. */
export function isSigned({ inputs }: LedgerTransaction): boolean {
  return inputs.every(
    ({ outputIndex, previous, script }) =>
      script.length > 0 && outputIndex !== COINBASE_INDEX && previous.some((byte) => byte !== 0),
  );
}

/** Returns true for a coinbase: one input that spends nothing. An inner tree node of this form is very hard to find. */
export function isCoinbase({ inputs }: LedgerTransaction): boolean {
  const [only] = inputs;
  return (
    inputs.length === 1 && only!.outputIndex === COINBASE_INDEX && only!.previous.every((byte) => byte === 0)
  );
}

export function doubleSha256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/** Returns hex in the byte order of explorers, which is reversed. */
export function shownHash(hash: Uint8Array): string {
  return toHex(hash.slice().reverse());
}

/** Reads a counted list. The count is untrusted, so memory grows only with the items read. */
function readList<T>(reader: ByteReader, read: (reader: ByteReader) => T): T[] {
  const found: T[] = [];
  for (let left = reader.varInt(); left > 0; left--) found.push(read(reader));
  return found;
}

function readInput(reader: ByteReader): TransactionInput {
  const previous = reader.take(32);
  const outputIndex = reader.u32();
  const script = reader.take(reader.varInt());
  reader.u32();
  return { previous, outputIndex, script };
}

function readOutput(reader: ByteReader): TransactionOutput {
  return { satoshis: reader.u64(), script: reader.take(reader.varInt()) };
}
