import type { ProofOutcome, ProofVerdict } from '@sentinel-node/contracts';
import type { FileComparison } from './compare-file.ts';

const OUTCOMES: Readonly<Record<ProofOutcome, string>> = {
  HOLDS: 'HOLDS: the entry is in a block, by the headers that were given',
  FAILS: 'FAILS',
  NOT_PUBLIC: 'NOT PUBLIC: all holds, but whoever runs this development ledger can forge it',
  INCOMPLETE: 'INCOMPLETE: what is there holds, and no block is shown yet; ask for the proof again later',
  SELF_SUPPLIED: 'NO BLOCK KNOWN: all but the block holds; give --headers and --after',
};

/** What the command says: the entry, each finding with its code, and the outcome last. */
export function printed(verdict: ProofVerdict, file: FileComparison | undefined, asJson: boolean): string {
  const { outcome, holds, fails, claimed, warnings, block } = verdict;
  if (asJson) {
    const time = block === undefined ? null : new Date(block.time * 1_000).toISOString();
    const result = { outcome, holds, fails, claimed, warnings, block: block && { ...block, time }, file };
    return `${JSON.stringify(result)}\n`;
  }
  const lines = [
    ...entryLines(verdict),
    ...holds.map(({ code, text }) => `  holds    ${code}: ${text}`),
    ...fails.map(({ code, text }) => `  FAILS    ${code}: ${text}`),
    ...warnings.map(({ code, text }) => `  warning  ${code}: ${text}`),
    ...claimed.map(({ code, text }) => `  claimed  ${code}: ${text}`),
    ...(file === undefined ? [] : [`  ${file.isSame ? 'holds  ' : 'FAILS  '}  FILE: ${file.text}`]),
    file?.isSame === false && outcome !== 'FAILS' ? 'FAILS: the file is another' : OUTCOMES[outcome],
  ];
  return `${lines.join('\n')}\n`;
}

function entryLines({ proof }: ProofVerdict): string[] {
  if (proof === undefined) return [];
  const { kind, number, contentHash, length } = proof.entry;
  const what = contentHash === undefined ? '' : `, ${length} bytes with SHA-256 ${contentHash}`;
  return [`${proof.subject.type} ${proof.subject.id}, entry ${number} (${kind})${what}`];
}
