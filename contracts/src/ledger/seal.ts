/** One link of the chain of anchor transactions: each transaction is signed and spends its predecessor's seal. */
import { batchHeaderHash, decodeBatchHeader, type BatchHeader } from '../log/batch-header.ts';
import { equalBytes, toHex } from '../bytes/bytes.ts';
import { ZERO_HASH } from '../hashes.ts';
import { isKeySpend } from './key-spend.ts';
import {
  anchorOf,
  parseTransaction,
  sealOf,
  SEAL_OUTPUT,
  shownHash,
  type LedgerTransaction,
  type TransactionOutput,
} from './transaction.ts';

/** Faults of a batch and its transaction, each with a stable code. */
export const SEAL_FAILURES = {
  SEAL_UNREADABLE: 'It is not a batch header with exactly one transaction.',
  SEAL_FOREIGN: 'The transaction is not an anchor of this log.',
  SEAL_GAP: 'A batch is left out before it.',
  SEAL_BRANCH: 'Another transaction stands for a batch that already has one, or spends a seal that is spent.',
  SEAL_GENESIS_DIFFERS: 'Batch 0 is not in the transaction that the log began with.',
  SEAL_ANCHOR_DIFFERS: 'The transaction names another batch, header or log root than the log has.',
  SEAL_HEADER_DIFFERS: 'The batch header is of another log or batch, or does not follow the one before.',
  SEAL_NOT_SPENT: 'Input 0 does not spend output 1 of the transaction before.',
  SEAL_UNFUNDED: 'The transaction pays nothing into its output 1, or more than its inputs hold.',
  SEAL_UNSIGNED: 'An input is not unlocked by a valid signature of the whole transaction.',
} as const;
export type SealFailure = keyof typeof SEAL_FAILURES;

/** Runs the scripts of one input; `@sentinel-node/contracts/ledger-spend` does so with the ledger's library. */
export type SpendCheck = (spend: {
  /** The whole spending transaction. */
  readonly raw: Uint8Array;
  readonly inputIndex: number;
  readonly spent: TransactionOutput;
}) => boolean;

export interface Seal {
  /** 182 bytes. */
  readonly header: Uint8Array;
  /** The whole transaction. */
  readonly raw: Uint8Array;
  /** Outputs that the inputs spend besides the previous seal, in the order of the inputs; at batch 0 all of them. */
  readonly spends: readonly TransactionOutput[];
}

/** The last seal, which the next one must follow. */
export interface SealTip {
  readonly batch: number;
  /** Hash of the transaction, in the byte order of inputs. */
  readonly hash: Uint8Array;
  readonly headerHash: Uint8Array;
  /** undefined when the transaction has none. */
  readonly seal: TransactionOutput | undefined;
}

export interface SealPlace {
  readonly batch: number;
  readonly logId: Uint8Array;
  /** Root of the log that ends with this batch. */
  readonly logRoot: Uint8Array;
  /** undefined at batch 0. */
  readonly before: SealTip | undefined;
  /** Id of the transaction of batch 0, in the byte order of explorers; undefined when not known. */
  readonly genesisTxid: string | undefined;
}

export interface CheckedSeal {
  /** The first fault found; undefined when everything holds. */
  readonly failure: SealFailure | undefined;
  /** undefined when header or transaction cannot be read. */
  readonly tip: SealTip | undefined;
}

/** Checks a batch and its transaction at their place in the log. Everything in `seal` is untrusted. */
export function checkSeal(seal: Seal, place: SealPlace, verifySpend: SpendCheck): CheckedSeal {
  const header = decodeBatchHeader(seal.header);
  const transaction = parseTransaction(seal.raw);
  if (header === undefined || transaction === undefined)
    return { failure: 'SEAL_UNREADABLE', tip: undefined };
  const tip: SealTip = {
    batch: place.batch,
    hash: transaction.hash,
    headerHash: batchHeaderHash(seal.header),
    seal: sealOf(transaction),
  };
  const failure =
    headerFailure(header, place) ??
    anchorFailure(transaction, tip, place) ??
    linkFailure(transaction, place) ??
    spendFailure(seal, transaction, place, verifySpend);
  return { failure, tip };
}

function headerFailure(header: BatchHeader, { batch, logId, before }: SealPlace): SealFailure | undefined {
  const follows = equalBytes(header.previousHash, before?.headerHash ?? ZERO_HASH);
  return header.batch === batch && equalBytes(header.logId, logId) && follows
    ? undefined
    : 'SEAL_HEADER_DIFFERS';
}

function anchorFailure(
  transaction: LedgerTransaction,
  { headerHash }: SealTip,
  place: SealPlace,
): SealFailure | undefined {
  const anchor = anchorOf(transaction);
  if (anchor === undefined || !equalBytes(anchor.logId, place.logId)) return 'SEAL_FOREIGN';
  const isSame =
    anchor.batch === place.batch &&
    equalBytes(anchor.headerHash, headerHash) &&
    equalBytes(anchor.logRoot, place.logRoot);
  return isSame ? undefined : 'SEAL_ANCHOR_DIFFERS';
}

function linkFailure(
  { hash, inputs }: LedgerTransaction,
  { before, genesisTxid }: SealPlace,
): SealFailure | undefined {
  if (before === undefined)
    return genesisTxid === undefined || shownHash(hash) === genesisTxid ? undefined : 'SEAL_GENESIS_DIFFERS';
  const [first] = inputs;
  return equalBytes(first!.previous, before.hash) && first!.outputIndex === SEAL_OUTPUT
    ? undefined
    : 'SEAL_NOT_SPENT';
}

function spendFailure(
  { raw, spends }: Seal,
  transaction: LedgerTransaction,
  { before }: SealPlace,
  verifySpend: SpendCheck,
): SealFailure | undefined {
  const { inputs, outputs } = transaction;
  const spent = before === undefined ? spends : [before.seal, ...spends];
  if (spent.length !== inputs.length) return 'SEAL_UNSIGNED';
  const known = spent.filter((output) => output !== undefined);
  if (sealOf(transaction) === undefined || known.length < spent.length) return 'SEAL_UNFUNDED';
  if (sum(outputs) > sum(known)) return 'SEAL_UNFUNDED';
  const outpoints = new Set(inputs.map(({ previous, outputIndex }) => `${toHex(previous)}:${outputIndex}`));
  const isUnlocked = known.every(
    (output, inputIndex) =>
      isKeySpend(output.script, inputs[inputIndex]!.script) &&
      verifySpend({ raw, inputIndex, spent: output }),
  );
  return outpoints.size === inputs.length && isUnlocked ? undefined : 'SEAL_UNSIGNED';
}

/** Adds exactly: sums can exceed 2^53. */
const sum = (outputs: readonly TransactionOutput[]): bigint =>
  outputs.reduce((total, { satoshis }) => total + BigInt(satoshis), 0n);
