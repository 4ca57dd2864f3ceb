/** Checks a transaction as a node does before it accepts one. All input is untrusted. */
import { Transaction } from '@bsv/sdk/transaction';
import { inputUnlocks } from '@sentinel-node/contracts/ledger-spend';
import type { FeePolicy } from '../ports/ledger.ts';

/** Longest transaction, in bytes of Extended Format; longer ones are refused before parsing. */
export const MAX_TRANSACTION_BYTES = 100_000;
/** CVE-2012-2459 and CVE-2017-12842: 64 bytes could be an inner node of a block's tree. */
const NODE_BYTES = 64;
const MAX_SATOSHIS = 21_000_000 * 100_000_000;
const FINAL_SEQUENCE = 0xffffffff;

export interface ParsedTransaction {
  readonly tx: Transaction;
  readonly txid: string;
  readonly rawTx: string;
  /** `txid:index` of the spent outputs, in the order of the inputs. */
  readonly outpoints: readonly string[];
}

/** Parses a transaction in Extended Format; returns a text for a person when it is invalid. */
export function parseExtended(extendedTx: string): ParsedTransaction | string {
  if (extendedTx.length > 2 * MAX_TRANSACTION_BYTES) return 'longer than the ledger takes';
  try {
    const tx = Transaction.fromHexEF(extendedTx);
    if (tx.toHexEF() !== extendedTx) return 'not one whole transaction in Extended Format';
    const outpoints = tx.inputs.map((input) => outpoint(input.sourceTXID!, input.sourceOutputIndex));
    return { tx, txid: tx.id('hex'), rawTx: tx.toHex(), outpoints };
  } catch {
    return 'not a transaction in Extended Format';
  }
}

export const outpoint = (txid: string, index: number): string => `${txid}:${index}`;

/**
 * Returns why the ledger refuses the transaction, or undefined.
 * @param sources raw transactions (hex) of the ledger whose outputs are spent, by id
 */
export function refusal(
  { tx, outpoints, rawTx }: ParsedTransaction,
  sources: ReadonlyMap<string, string>,
  policy: FeePolicy,
): string | undefined {
  if (tx.inputs.length === 0 || tx.outputs.length === 0) return 'no inputs or no outputs';
  if (new Set(outpoints).size !== outpoints.length) return 'spends one output twice';
  if (rawTx.length / 2 === NODE_BYTES) return `has ${NODE_BYTES} bytes`;
  if (tx.lockTime !== 0 && tx.inputs.some(({ sequence }) => sequence !== FINAL_SEQUENCE)) return 'not final';
  const missing = attachSources(tx, sources);
  if (missing !== undefined) return missing;
  return feeRefusal(tx, rawTx.length / 2, policy) ?? scriptRefusal(tx);
}

/** Replaces the sender's data of the spent outputs by the ledger's, or returns why they differ. */
function attachSources(tx: Transaction, sources: ReadonlyMap<string, string>): string | undefined {
  for (const input of tx.inputs) {
    const name = outpoint(input.sourceTXID!, input.sourceOutputIndex);
    const claimed = input.sourceTransaction!.outputs[input.sourceOutputIndex]!;
    const raw = sources.get(input.sourceTXID!);
    const source = raw === undefined ? undefined : Transaction.fromHex(raw);
    const existing = source?.outputs[input.sourceOutputIndex];
    if (source === undefined || existing === undefined) return `there is no output ${name}`;
    if (
      existing.satoshis !== claimed.satoshis ||
      existing.lockingScript.toHex() !== claimed.lockingScript.toHex()
    )
      return `output ${name} is another one than claimed`;
    input.sourceTransaction = source;
  }
  return undefined;
}

function feeRefusal(tx: Transaction, bytes: number, policy: FeePolicy): string | undefined {
  const spent = sum(
    tx.inputs.map((input) => input.sourceTransaction!.outputs[input.sourceOutputIndex]!.satoshis!),
  );
  const paid = sum(tx.outputs.map((output) => output.satoshis!));
  if (paid > MAX_SATOSHIS || paid > spent) return `pays ${paid} satoshis out of ${spent}`;
  const wanted = Math.ceil((bytes * policy.satoshis) / policy.bytes);
  return spent - paid < wanted ? `fee of ${spent - paid} satoshis, wanted are ${wanted}` : undefined;
}

function scriptRefusal(tx: Transaction): string | undefined {
  for (const [inputIndex, input] of tx.inputs.entries()) {
    const spent = input.sourceTransaction!.outputs[input.sourceOutputIndex]!;
    if (!inputUnlocks(tx, inputIndex, spent))
      return `input ${inputIndex} does not unlock ${input.sourceTXID!}`;
  }
  return undefined;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
