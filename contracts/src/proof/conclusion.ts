/** Compares checked documents, proofs and bundles, and reports on all of them. */
import { numbersText, printedBundle } from './bundle-report.ts';
import { BY_SERIOUSNESS } from './check-bundle.ts';
import { isCheckedBundle, subjectOf, type CheckedDocument } from './check-document.ts';
import { isSigned, type ProofVerdict } from './check.ts';
import {
  conflictsOf,
  PAIR_WARNINGS,
  PROOF_CONFLICTS,
  transactionWarningsOf,
  type ConflictFinding,
  type PairWarning,
} from './conflict.ts';
import type { Proof } from './proof.ts';
import {
  documentsWord,
  endOf,
  endsWithKept,
  endWords,
  outcomeWords,
  printedCheck,
  type CheckEnd,
  type CheckSubject,
  type EndWords,
  type InputNames,
} from './report.ts';

/** Two compared documents, by their places among the checked documents. */
export interface ComparedPair {
  readonly first: number;
  readonly second: number;
  /** Empty when the documents do not contradict each other. */
  readonly conflicts: readonly ConflictFinding[];
  readonly warnings: readonly PairWarning[];
}

export interface CheckConclusion {
  readonly end: CheckEnd;
  /** Every compared pair: of documents with proofs that the log signed, and of documents that do not fail by themselves. */
  readonly pairs: readonly ComparedPair[];
}

/** Most serious first; the first that occurs is the end of a check of several documents. */
const ENDS_BY_SERIOUSNESS: readonly CheckEnd[] = ['CONFLICT', ...BY_SERIOUSNESS];

/** Compares the checked documents and returns the end of the whole check. @param checked at least one */
export function concludeCheck(checked: readonly CheckedDocument[]): CheckConclusion {
  const pairs = checked.flatMap((a, first) =>
    checked.slice(first + 1).flatMap((b, at): ComparedPair[] => {
      const compared = comparedDocuments(a, b);
      return compared === undefined ? [] : [{ first, second: first + 1 + at, ...compared }];
    }),
  );
  const ends = new Set<CheckEnd>(checked.map(endOf));
  if (pairs.some(({ conflicts }) => conflicts.length > 0)) ends.add('CONFLICT');
  if (pairs.some(({ warnings }) => warnings.includes('TRANSACTIONS_DIFFER'))) ends.add('ONE_LOG_NOT_SHOWN');
  return { end: ENDS_BY_SERIOUSNESS.find((end) => ends.has(end)) ?? 'FAILS', pairs };
}

/**
 * Compares two documents. Only what the log signed binds its operator; such a contradiction counts although a document fails for
 * another reason, as by the given headers. Returns undefined when one fails and the log did not sign proofs of both.
 */
function comparedDocuments(
  a: CheckedDocument,
  b: CheckedDocument,
): Pick<ComparedPair, 'conflicts' | 'warnings'> | undefined {
  const [inA, inB] = [verdictsOf(a), verdictsOf(b)];
  const signed = inA.some(isSigned) && inB.some(isSigned) ? proofsOf([...inA, ...inB].filter(isSigned)) : [];
  const isFailing = a.verdict.outcome === 'FAILS' || b.verdict.outcome === 'FAILS';
  if (isFailing && signed.length === 0) return undefined;
  const compared = isFailing ? signed : proofsOf([...inA, ...inB]);
  const warnings = transactionWarningsOf(compared);
  const conflicts = conflictsOf(signed);
  const isUnsigned =
    conflicts.length === 0 && compared.length > signed.length && conflictsOf(compared).length > 0;
  return { conflicts, warnings: isUnsigned ? ['UNSIGNED_CONTRADICTION', ...warnings] : warnings };
}

const verdictsOf = (checked: CheckedDocument): readonly ProofVerdict[] =>
  isCheckedBundle(checked) ? checked.verdict.proofs : [checked.verdict];

const proofsOf = (verdicts: readonly ProofVerdict[]): Proof[] => verdicts.flatMap(({ proof }) => proof ?? []);

/** Returns the reports on all documents, what their comparison gives, and the end of the whole check last. */
export function printedChecks(
  checked: readonly CheckedDocument[],
  conclusion: CheckConclusion,
  names: InputNames,
): string {
  const subject = commonSubject(checked);
  return [
    ...checked.map((one) => (isCheckedBundle(one) ? printedBundle(one, names) : printedCheck(one, names))),
    ...conclusion.pairs.map((one) => printedPair(one, subject, names)),
    ...(checked.length > 1 ? [`${togetherLine(checked, conclusion, names)}\n`] : []),
  ].join('\n');
}

const commonSubject = (checked: readonly CheckedDocument[]): CheckSubject =>
  checked.map(subjectOf).find((subject) => subject === 'every entry') ?? 'the entry';

/** Returns title and text for the outcome of one document. */
export const documentWords = (checked: CheckedDocument, names: InputNames): EndWords =>
  outcomeWords(checked, names, subjectOf(checked));

/** Returns title and text for the end of a check of several documents. */
export const togetherWords = (
  checked: readonly CheckedDocument[],
  { end }: CheckConclusion,
  names: InputNames,
): EndWords =>
  endWords(
    end,
    names,
    commonSubject(checked),
    checked.some(({ verdict }) => endsWithKept(verdict)),
  );

function togetherLine(
  checked: readonly CheckedDocument[],
  conclusion: CheckConclusion,
  names: InputNames,
): string {
  const { end, pairs } = conclusion;
  const { title, text } = togetherWords(checked, conclusion, names);
  const one = documentsWord(commonSubject(checked)).slice(0, -1);
  const failed = `a ${one} does not hold by itself${pairs.length > 0 ? '' : ', and was compared with no other'}`;
  return `Together: ${title}: ${end === 'FAILS' ? failed : text}`;
}

/** Returns the predicate of a sentence about two documents without a conflict. */
export const agreeWords = ({ warnings }: Pick<ComparedPair, 'warnings'>): string =>
  warnings.every((code) => code === 'TRANSACTION_REPLACED')
    ? 'do not contradict each other'
    : 'are no evidence against the log';

/** Returns the text of a conflict with its place. */
export function conflictText({ code, numbers }: ConflictFinding): string {
  const isOfBatches = code === 'BATCH_CONFLICT' || code === 'LOG_CONFLICT';
  return `${PROOF_CONFLICTS[code]}${numbersText(numbers, isOfBatches ? ['batch', 'batches'] : ['entry', 'entries'])}`;
}

/** Returns the lines about two documents that were held against each other. */
function printedPair(
  { conflicts, warnings }: Pick<ComparedPair, 'conflicts' | 'warnings'>,
  subject: CheckSubject,
  names: InputNames,
): string {
  const lines = [
    ...conflicts.map((one) => `  CONFLICT ${one.code}: ${conflictText(one)}`),
    ...warnings.map((code) => `  warning  ${code}: ${PAIR_WARNINGS[code]}`),
  ];
  const { title, text } = endWords('CONFLICT', names, subject);
  const agree = `The two ${documentsWord(subject)} ${agreeWords({ warnings })}.`;
  const end = conflicts.length === 0 ? agree : `${title}: ${text}`;
  return `${[...lines, end].join('\n')}\n`;
}
