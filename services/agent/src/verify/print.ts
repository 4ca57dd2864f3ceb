import {
  PROOF_CONFLICTS,
  type HeaderChain,
  type ProofConflict,
  type ProofOutcome,
  type ProofVerdict,
} from '@sentinel-node/contracts';
import type { FileComparison } from './compare-file.ts';

type Subject = 'the entry' | 'every entry';

const OUTCOMES: Readonly<Record<ProofOutcome, (subject: Subject) => string>> = {
  HOLDS: (subject) => `HOLDS: ${subject} is in a block, by the headers that were given, and one log is shown`,
  FAILS: () => 'FAILS',
  NOT_PUBLIC: () => 'NOT PUBLIC: all holds, but whoever runs this development or test ledger can forge it',
  INCOMPLETE: (subject) =>
    subject === 'the entry'
      ? 'INCOMPLETE: what is there holds, and no block is shown yet; ask for the proof again later'
      : 'INCOMPLETE: what is there holds, and not every entry is shown in a block yet; ask for the bundle again later',
  SELF_SUPPLIED: () => 'NO BLOCK KNOWN: all but the block holds; give --headers',
  ONE_LOG_NOT_SHOWN: (subject) =>
    `HOLDS, ONE LOG NOT SHOWN: ${subject} is in a block, but another log of the same key may say otherwise; give --seals, --checkpoint or --policy`,
};

export interface CheckedProof {
  readonly verdict: ProofVerdict;
  readonly file: FileComparison | undefined;
  readonly headers: HeaderChain | undefined;
}

/** What the command says of one proof: the entry, each finding with its code, and the outcome last. */
export function printed(checked: CheckedProof): string {
  const { file, verdict } = checked;
  const { outcome, holds, fails, claimed, warnings } = verdict;
  const lines = [
    ...entryLines(verdict),
    ...holds.map(({ code, text }) => `  holds    ${code}: ${text}`),
    ...fails.map(({ code, text }) => `  FAILS    ${code}: ${text}`),
    ...warnings.map(({ code, text }) => `  warning  ${code}: ${text}`),
    ...claimed.map(({ code, text }) => `  claimed  ${code}: ${text}`),
    ...fileLines(file),
    ...blockLines(checked),
    outcomeLine(outcome, file, 'the entry'),
  ];
  return `${lines.join('\n')}\n`;
}

/** Of the comparison with a file; none when there was none. */
export const fileLines = (file: FileComparison | undefined): string[] =>
  file === undefined ? [] : [`  ${file.isSame ? 'holds  ' : 'FAILS  '}  FILE: ${file.text}`];

/** The last line. */
export function outcomeLine(
  outcome: ProofOutcome,
  file: FileComparison | undefined,
  subject: Subject,
): string {
  const isOther = file?.isSame === false && outcome !== 'FAILS';
  return isOther ? 'FAILS: the file is another' : OUTCOMES[outcome](subject);
}

/** The same for programs. */
export function asJson({ file, headers, verdict }: CheckedProof): object {
  const { outcome, holds, fails, claimed, warnings, block } = verdict;
  const seen = block && { ...block, time: shownTime(block.time) };
  return { outcome, holds, fails, claimed, warnings, block: seen, headers: headersAsJson(headers), file };
}

export function headersAsJson(headers: HeaderChain | undefined): object | undefined {
  if (headers === undefined) return undefined;
  const { tipTime, uncalculated, work } = headers;
  return { work: String(work), tipTime: shownTime(tipTime), uncalculated };
}

/** What two proofs say against each other. */
export function printedConflicts(conflicts: readonly ProofConflict[]): string {
  const lines = conflicts.map((code) => `  CONFLICT ${code}: ${PROOF_CONFLICTS[code]}`);
  const end =
    conflicts.length === 0
      ? 'The two proofs do not contradict each other.'
      : 'CONFLICT: both proofs carry the signature of the log and cannot both be true; keep them';
  return `${[...lines, end].join('\n')}\n`;
}

function entryLines({ proof }: ProofVerdict): string[] {
  if (proof === undefined) return [];
  const { kind, number, contentHash, length } = proof.entry;
  const what = contentHash === undefined ? '' : `, ${length} bytes with SHA-256 ${contentHash}`;
  return [`${proof.subject.type} ${proof.subject.id}, entry ${number} (${kind})${what}`];
}

function blockLines({ headers, verdict: { block } }: CheckedProof): string[] {
  if (headers === undefined) return [];
  return tipLines(
    headers,
    block === undefined ? '' : `block ${block.height}, ${block.confirmations} confirmations; `,
  );
}

/** Where the given headers end. @param before what the line begins with */
export function tipLines({ tipTime, uncalculated, work }: HeaderChain, before: string): string[] {
  const bits = work.toString(2).length - 1;
  const tip = `  ${before}the given headers end at ${shownTime(tipTime)} and took about 2^${bits} hashes to make`;
  const unknown = `  the difficulty of ${uncalculated} of them could not be calculated: too few headers before them`;
  return uncalculated === 0 ? [tip] : [tip, unknown];
}

const shownTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();
