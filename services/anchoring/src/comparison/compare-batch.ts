/** Compares a recorded batch with its signed transaction. */
import { isDeepStrictEqual } from 'node:util';
import {
  batchHeaderHash,
  checkSeal,
  CompactRange,
  decodeBatchHeader,
  equalBytes,
  fromHex,
  leafHash,
  parseTransaction,
  SEAL_FAILURES,
  SEAL_OUTPUT,
  sealOf,
  shownHash,
  toHex,
  type Cut,
  type LedgerTransaction,
  type SealTip,
} from '@sentinel-node/contracts';
import { verifySpend } from '@sentinel-node/contracts/ledger-spend';
import type { CutDocument, TransactionDocument } from '../collections.ts';
import { outputsSpentBy } from '../transaction/sign-anchor.ts';
import { besideSeal } from './spent-outputs.ts';

export interface AnchoredBatch {
  readonly logId: Uint8Array;
  readonly cut: Cut;
  /** Root of the log that ends with this batch. */
  readonly logRoot: Uint8Array;
  readonly document: TransactionDocument;
  /** Seal of the previous transaction; undefined at batch 0. */
  readonly before: SealTip | undefined;
}

export interface ComparedBatch {
  /** Difference in words for a person; undefined when the transaction and the records agree. */
  readonly difference: string | undefined;
  /** Undefined when header or transaction cannot be read. */
  readonly tip: SealTip | undefined;
}

/**
 * Compares a batch with its transaction: anchor, earlier seal, funds, signatures, and all that is recorded beside it. The
 * signatures take some milliseconds.
 */
export function compareBatch({ before, cut, document, logId, logRoot }: AnchoredBatch): ComparedBatch {
  const { batch } = cut;
  const spent = outputsSpentBy(document.extendedTx, document.rawTx);
  if (spent === undefined)
    return {
      difference: 'its signed transaction cannot be read, or is not the one that was sent',
      tip: undefined,
    };
  const seal = {
    header: fromHex(cut.header),
    raw: fromHex(document.rawTx),
    spends: besideSeal(document.batch, spent),
  };
  const place = { batch, logId, logRoot, before, genesisTxid: undefined };
  const { failure, tip } = checkSeal(seal, place, verifySpend);
  if (failure !== undefined) return { difference: `${SEAL_FAILURES[failure]} (${failure})`, tip };
  const isNamed = document.record.transaction?.txid === shownHash(tip!.hash);
  if (!isNamed) return { difference: 'its signed transaction has another id than recorded', tip };
  const transaction = parseTransaction(seal.raw)!;
  const paid = sum(spent) - sum(transaction.outputs);
  return { difference: recordDifference(document, cut, transaction, paid), tip };
}

const sum = (of: readonly { readonly satoshis: number }[]): number =>
  of.reduce((satoshis, one) => satoshis + one.satoshis, 0);

/**
 * Returns in words what is recorded beside a signed transaction and is not of it, or not of the cut; else undefined.
 * @param paid fee of the transaction, in satoshis
 */
function recordDifference(
  { batch, fee, funds, inputs, network, rawTx, record }: TransactionDocument,
  cut: Cut,
  signed: LedgerTransaction,
  paid: number,
): string | undefined {
  if (batch !== cut.batch || record.batch !== cut.batch)
    return 'its transaction is recorded for another batch';
  if (!isDeepStrictEqual(record.cut, cut)) return 'its transaction is recorded with another cut';
  const outpoints = signed.inputs.map(({ outputIndex, previous }) => `${shownHash(previous)}:${outputIndex}`);
  if (!isDeepStrictEqual(inputs, outpoints)) return 'its transaction spends other outputs than recorded';
  const left = signed.outputs[SEAL_OUTPUT]?.satoshis;
  if (funds !== left || fee !== paid)
    return 'its transaction leaves other funds, or pays another fee, than recorded';
  const sent = record.evidence?.transaction;
  const isSent = sent === undefined || sent === null || (sent.raw === rawTx && sent.network === network);
  return isSent ? undefined : 'the evidence has another transaction than was signed';
}

/** Returns in words why a recorded cut contradicts its header, or does not follow the previous cut; else undefined. */
export function cutDifference(
  { cut, log }: CutDocument,
  before: CutDocument | undefined,
): string | undefined {
  const bytes = fromHex(cut.header);
  const header = decodeBatchHeader(bytes);
  if (header === undefined) return 'its header is not one';
  const isSame =
    toHex(batchHeaderHash(bytes)) === cut.headerHash &&
    toHex(header.leafRoot) === cut.leafRoot &&
    header.leafCount === cut.leafCount &&
    log.headerHash === cut.headerHash;
  if (!isSame) return 'its header says something else than its cut';
  const range = rangeOf(before);
  if (before !== undefined && toHex(header.previousHash) !== before.cut.headerHash)
    return 'it does not follow the batch before';
  range.append(leafHash(bytes));
  const isGrown = equalBytes(range.root(), fromHex(cut.logRoot)) && log.size === cut.batch + 1;
  return isGrown && equalBytes(rangeOf({ log }).root(), range.root())
    ? undefined
    : 'the log that ends with it is not the one before with its header';
}

function rangeOf(document: Pick<CutDocument, 'log'> | undefined): CompactRange {
  return document === undefined
    ? new CompactRange()
    : new CompactRange(document.log.size, document.log.peaks.map(fromHex));
}

/**
 * Returns the seal that the next one must follow, if the transaction can be read; its own batch's comparison checks
 * it.
 */
export function tipOf({ rawTx }: TransactionDocument, { cut }: CutDocument): SealTip | undefined {
  const transaction = parseTransaction(fromHex(rawTx));
  if (transaction === undefined) return undefined;
  const { hash } = transaction;
  return { batch: cut.batch, hash, headerHash: fromHex(cut.headerHash), seal: sealOf(transaction) };
}
