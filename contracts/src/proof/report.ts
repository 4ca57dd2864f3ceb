/** Text report of a proof check, shared by `sentinel verify` and the verification page. */
import type { ProofOutcome, ProofVerdict } from './check.ts';
import type { BundleFinding } from './check-bundle.ts';
import type { FileComparison } from './content.ts';
import type { Finding, ProofHolding, ProofWarning } from './findings.ts';
import type { HeaderChain } from './headers.ts';

/** Names of the inputs in messages: a command names its options, a page its fields. */
export interface InputNames {
  readonly headers: string;
  readonly knownBlock: string;
  readonly seals: string;
  readonly checkpoint: string;
  readonly policy: string;
}

export interface CheckedProof {
  readonly verdict: ProofVerdict;
  /** undefined when no file was given to compare. */
  readonly file: FileComparison | undefined;
  readonly headers: HeaderChain | undefined;
}

/** Exit codes of `sentinel verify`. Code 2, wrong usage, is not the result of a check. */
export const CHECK_EXIT_CODES = {
  HOLDS: 0,
  FAILS: 1,
  NOT_PUBLIC: 3,
  INCOMPLETE: 4,
  SELF_SUPPLIED: 5,
  ONE_LOG_NOT_SHOWN: 6,
  CONFLICT: 7,
} as const satisfies Readonly<Record<ProofOutcome | 'CONFLICT', number>>;
export type CheckEnd = keyof typeof CHECK_EXIT_CODES;

/** Subject of a check: one entry, or every entry of a bundle. */
export type CheckSubject = 'the entry' | 'every entry';

const END_TITLES: Readonly<Record<CheckEnd, string>> = {
  HOLDS: 'HOLDS',
  FAILS: 'FAILS',
  NOT_PUBLIC: 'NOT PUBLIC',
  INCOMPLETE: 'INCOMPLETE',
  SELF_SUPPLIED: 'NO BLOCK KNOWN',
  ONE_LOG_NOT_SHOWN: 'HOLDS, ONE LOG NOT SHOWN',
  CONFLICT: 'CONFLICT',
};

/** Returns the word for several documents. */
export const documentsWord = (subject: CheckSubject): 'documents' | 'proofs' =>
  subject === 'the entry' ? 'proofs' : 'documents';

/** Title and text for the end of a check. */
export interface EndWords {
  readonly title: string;
  readonly text: string;
}

/** @param isOlder whether one log is shown only up to a kept checkpoint that ends before the batch (`endsWithKept`) */
export function endWords(
  end: CheckEnd,
  names: InputNames,
  subject: CheckSubject = 'the entry',
  isOlder = false,
): EndWords {
  const text = end === 'HOLDS' && isOlder ? olderText(subject) : endText(end, names, subject);
  return { title: END_TITLES[end], text };
}

/** Without the words of `HOLDS`: a second log that begins after the kept checkpoint is not excluded. */
const olderText = (subject: CheckSubject): string =>
  `${subject} is in a block, by the headers that were given, and its log continues the checkpoint that was kept, which ends before; no second log is excluded that begins after it`;

/** Findings by which one log is shown with the batch itself. */
const ONE_LOG: readonly ProofHolding[] = ['SEALS', 'KEPT_CHECKPOINT', 'WITNESSED'];

type OfEntries = Partial<Pick<BundleFinding<string>, 'numbers'>>;
const numbersOf = ({ numbers = [0] }: OfEntries): readonly number[] => numbers;

/** Returns whether nothing but a kept checkpoint that ends before the batch shows one log, of a proof or of an entry of a bundle. */
export function endsWithKept({ holds, warnings }: OneLogFindings): boolean {
  const older = warnings.find(({ code }) => code === 'KEPT_CHECKPOINT_OLDER');
  if (older === undefined) return false;
  const shown = new Set(holds.filter(({ code }) => ONE_LOG.includes(code)).flatMap(numbersOf));
  return numbersOf(older).some((number) => !shown.has(number));
}

function endText(
  end: CheckEnd,
  { headers, seals, checkpoint, policy }: InputNames,
  subject: CheckSubject,
): string {
  switch (end) {
    case 'HOLDS':
      return `${subject} is in a block, by the headers that were given, and one log is shown`;
    case 'FAILS':
      return subject === 'the entry' ? 'the proof does not hold' : 'the bundle does not hold';
    case 'NOT_PUBLIC':
      return 'all holds, but this is no public ledger that is known: whoever makes its blocks can forge it';
    case 'INCOMPLETE':
      return subject === 'the entry'
        ? 'what is there holds, and no block is shown yet; ask for the proof again later'
        : 'what is there holds, and not every entry is shown in a block yet; ask for the bundle again later';
    case 'SELF_SUPPLIED':
      return `all but the block holds; give ${headers}`;
    case 'ONE_LOG_NOT_SHOWN':
      return `${subject} is in a block, but another log of the same key may say otherwise; give ${seals}, ${checkpoint} or ${policy}`;
    case 'CONFLICT':
      return `both ${documentsWord(subject)} carry the signature of the log and cannot both be true; keep them`;
  }
}

/** Returns the outcome for one proof; FAILS when the compared file differs. */
export const endOf = ({ file, verdict }: Ended): ProofOutcome =>
  file?.isSame === false ? 'FAILS' : verdict.outcome;

type Ended = Pick<CheckedProof, 'file'> & { readonly verdict: Pick<ProofVerdict, 'outcome'> };
type Outcome = Ended & { readonly verdict: OneLogFindings };

interface OneLogFindings {
  readonly holds: readonly (Finding<ProofHolding> & OfEntries)[];
  readonly warnings: readonly (Finding<ProofWarning> & OfEntries)[];
}

/** Returns the report on one proof: the entry, each finding with its code, and the outcome last. */
export function printedCheck(checked: CheckedProof, names: InputNames): string {
  const { file, verdict } = checked;
  const { holds, fails, claimed, warnings } = verdict;
  const lines = [
    ...entryLine(verdict),
    ...holds.map(({ code, text }) => `  holds    ${code}: ${text}`),
    ...fails.map(({ code, text }) => `  FAILS    ${code}: ${text}`),
    ...warnings.map(({ code, text }) => `  warning  ${code}: ${text}`),
    ...claimed.map(({ code, text }) => `  claimed  ${code}: ${text}`),
    ...fileLine(file),
    ...blockLines(checked).map((line) => `  ${line}`),
    outcomeLine(checked, names),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the line about the compared file; empty without a file. */
export const fileLine = (file: FileComparison | undefined): string[] =>
  file === undefined ? [] : [`  ${file.isSame ? 'holds  ' : 'FAILS  '}  FILE: ${file.text}`];

/** Returns title and text for the outcome of one proof or bundle. */
export function outcomeWords(checked: Outcome, names: InputNames, subject?: CheckSubject): EndWords {
  const { file, verdict } = checked;
  if (file === undefined || file.isSame || verdict.outcome === 'FAILS')
    return endWords(verdict.outcome, names, subject, endsWithKept(verdict));
  const text = file.isCompared ? 'the file is another' : `the file was not compared: ${reasonOf(file)}`;
  return { title: END_TITLES.FAILS, text };
}

const reasonOf = ({ text }: FileComparison): string =>
  text[0]!.toLowerCase() + text.slice(1).replace(/\.$/, '');

export function outcomeLine(checked: Outcome, names: InputNames, subject?: CheckSubject): string {
  const { title, text } = outcomeWords(checked, names, subject);
  return `${title}: ${text}`;
}

/** Describes the entry of a proof; empty when the document could not be read. */
export function entryLine({ proof }: ProofVerdict): string[] {
  if (proof === undefined) return [];
  const { kind, number, causeNumber, contentHash, length } = proof.entry;
  const cause = causeNumber === undefined ? '' : ` of entry ${causeNumber}`;
  const what = contentHash === undefined ? '' : `, ${length} bytes with SHA-256 ${contentHash}`;
  return [`${proof.subject.type} ${proof.subject.id}, entry ${number} (${kind}${cause})${what}`];
}

/** Describes the block of a proof and the work of the given headers; empty when no headers were given. */
export function blockLines({ headers, verdict: { block } }: CheckedProof): string[] {
  const place = block === undefined ? '' : `block ${block.height}, ${block.confirmations} confirmations; `;
  return headers === undefined ? [] : tipLines(headers, place);
}

/** Describes the end of the given headers. @param before beginning of the line */
export function tipLines({ tipTime, uncalculated, work }: HeaderChain, before = ''): string[] {
  const bits = work.toString(2).length - 1;
  const tip = `${before}the given headers end at ${shownTime(tipTime)} and took about 2^${bits} hashes to make`;
  const unknown = `the difficulty of ${uncalculated} of them could not be calculated: too few headers before them`;
  return uncalculated === 0 ? [tip] : [tip, unknown];
}

/** @param seconds since 1970 */
export const shownTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();
