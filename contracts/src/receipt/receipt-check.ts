/** Checks that the log signed a receipt, and that a given report and proof match it. Uses no clock and no network. */
import { sha256 } from '#sha256';
import { logIdOf } from '../log/checkpoint.ts';
import { fromHex, toHex } from '../bytes/bytes.ts';
import type { SignatureCheck } from '../log/signature-check.ts';
import { checkProof, isSigned } from '../proof/check.ts';
import { VerifyInputError, unreadableReason } from '../proof/inputs.ts';
import type { ProofTrust } from '../proof/proof.ts';
import { isAcceptedLater, isReceiptAhead, judgePromise, type Judgement } from './promise.ts';
import { shownMoment } from '../real-time.ts';
import { KeptReceiptSchema, RECEIPT_LIMITS, verifyReceipt, type KeptReceipt } from './receipt.ts';
import { readStrictJson } from '../bytes/strict-json.ts';

/** Limit of a report, in bytes, as for one line of a bulk body. */
export const MAX_REPORT_BYTES = 1_048_576;

/** Exit codes of `sentinel receipt`. Code 2, wrong usage, is not the result of a check. */
export const RECEIPT_EXIT_CODES = { HOLDS: 0, FAILS: 1, 'NOT SHOWN': 1, 'BROKEN PROMISE': 3 } as const;
export type ReceiptOutcome = keyof typeof RECEIPT_EXIT_CODES;

export interface CheckedReceipt {
  readonly outcome: ReceiptOutcome;
  /** null when the receipt holds. */
  readonly why: string | null;
  readonly fileId: string;
  readonly reportHash: string;
  /** ISO 8601; milliseconds when the time is beyond the range of `Date`. */
  readonly acceptedAt: string;
  /** The same of the proof's entry when it belongs to another acceptance of the same report; else null. */
  readonly entryAcceptedAt: string | null;
  /** Whether a proof that the log signed showed the entry of the report; a receipt by itself does not show that the promise was kept. */
  readonly isEntryShown: boolean;
}

export interface ReceiptCheckOptions {
  readonly verifySignature: SignatureCheck;
  /** Current time in milliseconds since 1970, against which the deadline of a promise is checked. */
  readonly now: number;
  /** Bytes of the report as sent. */
  readonly report?: Uint8Array;
  /** Proof that the server gave for the report; `name` is the name of its file in messages. */
  readonly proof?: { readonly name: string; readonly document: Uint8Array };
}

/** Reads a receipt. @throws VerifyInputError */
export function receiptFrom(name: string, bytes: Uint8Array): KeptReceipt {
  const read = readStrictJson(bytes, KeptReceiptSchema, RECEIPT_LIMITS);
  if ('value' in read) return read.value;
  throw new VerifyInputError(
    `${name} is no receipt: {"format", "fileId", "reportHash", "receipt"} ${unreadableReason(read, RECEIPT_LIMITS.documentBytes)}`,
  );
}

/** Checks a receipt. @param trust from a source other than the receipt @throws VerifyInputError for a malformed proof */
export async function checkReceipt(
  kept: KeptReceipt,
  trust: ProofTrust,
  options: ReceiptCheckOptions,
): Promise<CheckedReceipt> {
  const { fileId, receipt, reportHash } = kept;
  const acceptedAt = shownMoment(receipt.acceptedAt);
  const result = (...[outcome, why, entryAt]: Compared): CheckedReceipt => {
    const entryAcceptedAt = entryAt === undefined ? null : shownMoment(entryAt);
    const isEntryShown = outcome === 'HOLDS' && options.proof !== undefined;
    return { outcome, why, fileId, reportHash, acceptedAt, entryAcceptedAt, isEntryShown };
  };
  const publicKey = fromHex(trust.publicKey);
  if (!(await verifyReceipt(kept, { logId: logIdOf(publicKey), publicKey }, options.verifySignature)))
    return result('FAILS', 'the key of the trust file did not sign it');
  if (options.report !== undefined && toHex(sha256(options.report)) !== reportHash)
    return result('FAILS', 'it is of another report');
  // The deadlines of a time to come might never pass, so that a dropped report would never be told.
  if (isReceiptAhead(receipt.acceptedAt, options.now)) return result('NOT SHOWN', AHEAD);
  return result(
    ...(options.proof === undefined ? HELD : await compared(kept, trust, options, options.proof)),
  );
}

const HELD = ['HOLDS', null] as const;
const AHEAD =
  'the log signed a time that is to come, and promises nothing until then: compare the clock of this machine';
const UNSIGNED = 'the proof has no batch, and nobody signed it: ask the server again for the proof';
/** Says until when a server that keeps its promise may still show no batch. */
const unsigned = (judged: Judgement): string =>
  judged.state === 'early'
    ? `${UNSIGNED}. It may wait for its batch until ${shownMoment(judged.dueAt)}`
    : UNSIGNED;
type Compared = readonly [ReceiptOutcome, why: string | null, entryAcceptedAt?: number];

/**
 * Compares the receipt with a proof. Only what the log signed keeps or breaks a promise: a document without a batch is signed by
 * nobody, and anybody can make it.
 */
async function compared(
  { fileId, receipt: { acceptedAt }, reportHash }: KeptReceipt,
  trust: ProofTrust,
  { now, verifySignature }: ReceiptCheckOptions,
  { document, name }: NonNullable<ReceiptCheckOptions['proof']>,
): Promise<Compared> {
  const verdict = await checkProof(document, trust, { now, verifySignature });
  const { outcome, proof } = verdict;
  if (proof === undefined) throw new VerifyInputError(`${name} is no proof`);
  const { entry, subject } = proof;
  if (subject.type !== 'FILE' || subject.id !== fileId || entry.reportHash !== reportHash)
    return ['FAILS', 'the proof is of another report: give the one of this receipt'];
  if (outcome === 'FAILS') return ['FAILS', 'the proof does not hold: sentinel verify says why'];
  if (isAcceptedLater(entry, acceptedAt) && !isSigned(verdict))
    return [
      'FAILS',
      'the proof says a later time of acceptance, and the log did not sign it: ask for it again',
    ];
  const judged = judgePromise({ fileId, reportHash, acceptedAt }, proof, now);
  if (!isSigned(verdict)) return ['NOT SHOWN', unsigned(judged)];
  if (judged.state === 'broken') return ['BROKEN PROMISE', judged.why];
  return entry.acceptedAt === acceptedAt ? HELD : ['HOLDS', null, entry.acceptedAt];
}

/** Says when the entry was accepted that belongs to another acceptance of the same report. */
export const otherAcceptance = (entryAcceptedAt: string): string =>
  `accepted at ${entryAcceptedAt}: the same report was sent more than once`;

const ENTRY_NOT_SHOWN =
  'not shown: without the proof that the server gives for the report, nothing says that it is in the chain';

/** Returns the report: the outcome first, then the file, report and time of the receipt, and what is not shown. */
export function printedReceipt(checked: CheckedReceipt): string {
  const { acceptedAt, entryAcceptedAt, fileId, isEntryShown, outcome, reportHash, why } = checked;
  return [
    why === null ? outcome : `${outcome}: ${why}`,
    `  file      ${fileId}`,
    `  report    SHA-256 ${reportHash}`,
    `  accepted  ${acceptedAt}`,
    ...(entryAcceptedAt === null ? [] : [`  entry     ${otherAcceptance(entryAcceptedAt)}`]),
    ...(outcome === 'HOLDS' && !isEntryShown ? [`  entry     ${ENTRY_NOT_SHOWN}`] : []),
    '',
  ].join('\n');
}
