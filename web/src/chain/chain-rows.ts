/** Merges links and the entries between them into one order without missing numbers. */
import type { ChainEntry, Link } from '../answers.ts';

export type ChainRow =
  | { kind: 'link'; id: string; number: number; link: Link }
  | { kind: 'entry'; id: string; number: number; entry: ChainEntry }
  | { kind: 'gap'; id: string; from: number; to: number };

/** Returns the rows, newest first. Numbers in neither list become a gap. */
export function chainRows(links: readonly Link[], entries: readonly ChainEntry[]): ChainRow[] {
  const known = [
    ...links.map((link) => ({ kind: 'link', id: link.id, number: link.number, link }) as const),
    ...entries.map((entry) => ({ kind: 'entry', id: entry.id, number: entry.number, entry }) as const),
  ].sort((a, b) => b.number - a.number);
  return known.flatMap((row, at): ChainRow[] => {
    const next = known[at + 1];
    if (next === undefined || row.number - next.number <= 1) return [row];
    return [row, { kind: 'gap', id: `gap ${row.id}`, from: next.number + 1, to: row.number - 1 }];
  });
}
