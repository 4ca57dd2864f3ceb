/** What the command says of a bundle. */
import {
  BUNDLE_FORMAT,
  type Bundle,
  type BundleFinding,
  type BundleVerdict,
  type HeaderChain,
} from '@sentinel-node/contracts';
import type { FileComparison } from './compare-file.ts';
import { fileLines, headersAsJson, outcomeLine, tipLines } from './print.ts';

export interface CheckedBundle {
  readonly verdict: BundleVerdict;
  readonly file: FileComparison | undefined;
  readonly headers: HeaderChain | undefined;
}

/** Whether a document calls itself a bundle: what is meant to be read strictly spells it in one way. */
export function isBundle(document: Uint8Array): boolean {
  return Buffer.from(document.buffer, document.byteOffset, document.length).includes(`"${BUNDLE_FORMAT}"`);
}

/** The newest entry that says what the file held; undefined: none does. */
export function newestContent({ bundle }: BundleVerdict): Bundle['entries'][number] | undefined {
  return bundle?.entries.findLast(({ kind }) => SAYS_CONTENT.has(kind));
}
const SAYS_CONTENT: ReadonlySet<string> = new Set(['BASELINE', 'LINK', 'BREAK', 'RESET']);

/** The range and its kinds, each finding with its code and the entries that it is of, and the outcome last. */
export function printedBundle({ file, headers, verdict }: CheckedBundle): string {
  const { claimed, entries, fails, holds, outcome, warnings } = verdict;
  const line = (word: string) => (finding: BundleFinding<string>) =>
    `  ${word} ${finding.code}: ${finding.text}${whichEntries(finding.numbers, entries.length)}`;
  const lines = [
    ...rangeLines(verdict),
    ...holds.map(line('holds   ')),
    ...fails.map(line('FAILS   ')),
    ...warnings.map(line('warning ')),
    ...claimed.map(line('claimed ')),
    ...fileLines(file),
    ...(headers === undefined ? [] : tipLines(headers, '')),
    outcomeLine(outcome, file, 'every entry'),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same for programs. */
export function bundleAsJson({ file, headers, verdict }: CheckedBundle): object {
  const { claimed, entries, fails, holds, outcome, warnings } = verdict;
  return { outcome, holds, fails, claimed, warnings, entries, headers: headersAsJson(headers), file };
}

function rangeLines({ bundle }: BundleVerdict): string[] {
  if (bundle === undefined) return [];
  const { batches, blocks, entries, from, subject, to } = bundle;
  const kinds = new Map<string, number>();
  for (const { kind } of entries) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const counts = [...kinds].map(([kind, count]) => `${kind} ${count}`);
  const anchored = `  in ${batches.length} batches and ${blocks.length} blocks`;
  return [`${subject.type} ${subject.id}, entries ${from} to ${to} (${counts.join(', ')})`, anchored];
}

/** Nothing when it is of all, or of none in particular. */
function whichEntries(numbers: readonly number[], all: number): string {
  if (numbers.length === 0 || numbers.length === all) return '';
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  const named = runs.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  return ` (${numbers.length === 1 ? 'entry' : 'entries'} ${named.join(', ')})`;
}
