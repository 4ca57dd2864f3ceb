/** Text report of a bundle check; shares its wording with `report.ts`. */
import type { BundleFinding, BundleVerdict } from './check-bundle.ts';
import type { Bundle } from './bundle.ts';
import { fileLine, outcomeLine, tipLines, type CheckedProof, type InputNames } from './report.ts';

export interface CheckedBundle extends Omit<CheckedProof, 'verdict'> {
  readonly verdict: BundleVerdict;
}

const CONTENT_KINDS: ReadonlySet<string> = new Set(['BASELINE', 'LINK', 'BREAK', 'RESET']);

/** Returns the newest entry of a kind that states the content; undefined when the bundle has none. */
export function newestContent({ bundle }: BundleVerdict): Bundle['entries'][number] | undefined {
  return bundle?.entries.findLast(({ kind }) => CONTENT_KINDS.has(kind));
}

/** Returns the report: the range and its kinds, each finding with its code and entries, and the outcome last. */
export function printedBundle(checked: CheckedBundle, names: InputNames): string {
  const { file, headers, verdict } = checked;
  const { claimed, entries, fails, holds, warnings } = verdict;
  const line = (word: string) => (finding: BundleFinding<string>) =>
    `  ${word} ${finding.code}: ${finding.text}${entriesText(finding.numbers, entries.length)}`;
  const lines = [
    ...rangeLines(verdict),
    ...holds.map(line('holds   ')),
    ...fails.map(line('FAILS   ')),
    ...warnings.map(line('warning ')),
    ...claimed.map(line('claimed ')),
    ...fileLine(file),
    ...(headers === undefined ? [] : tipLines(headers).map((tip) => `  ${tip}`)),
    outcomeLine(checked, names, 'every entry'),
  ];
  return `${lines.join('\n')}\n`;
}

/** Describes the entries, batches and blocks of a bundle; empty when the document could not be read. */
export function rangeLines({ bundle }: BundleVerdict): string[] {
  if (bundle === undefined) return [];
  const { batches, blocks, entries, from, subject, to } = bundle;
  const kinds = new Map<string, number>();
  for (const { kind } of entries) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const counts = [...kinds].map(([kind, count]) => `${kind} ${count}`);
  const anchored = `  in ${counted(batches.length, 'batch', 'batches')} and ${counted(blocks.length, 'block', 'blocks')}`;
  return [`${subject.type} ${subject.id}, entries ${from} to ${to} (${counts.join(', ')})`, anchored];
}

const counted = (count: number, one: string, several: string): string =>
  `${count} ${count === 1 ? one : several}`;

/** Returns ` (entries 3 to 5, 9)`; empty for all entries or no particular entry. @param all number of entries */
export const entriesText = (numbers: readonly number[], all: number): string =>
  numbers.length === 0 || numbers.length === all ? '' : numbersText(numbers, ['entry', 'entries']);

/** Returns ` (entries 3 to 5, 9)`. @param numbers ascending, at least one */
export function numbersText(numbers: readonly number[], [one, several]: readonly [string, string]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  const named = runs.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  return ` (${numbers.length === 1 ? one : several} ${named.join(', ')})`;
}
