/** Writes a file's chain as CSV, newest first. */
import { CSV_BOM, csvLine, type CsvCell } from '@sentinel-node/contracts';
import type { ChainEntry, Link, Links } from '../answers.ts';
import { alertName, entryWord, wordFor } from '../format.ts';
import { chainRows } from '../chain/chain-rows.ts';

/** Most links of one call: the server's limit. */
const LINKS_A_CALL = 500;
/** Most calls of one export. */
export const MOST_CALLS = 40;

const HEADER = [
  'Number',
  'Id',
  'Kind',
  'Timestamp',
  'Content hash',
  'Length',
  'Entry hash',
  'Alert',
  'Anchoring',
  'Batch',
  'Confirmations',
  'Bsv transaction id',
];

export interface ChainCsv {
  readonly text: string;
  /** False when entries are missing: older ones, or some between others. */
  readonly whole: boolean;
}

/**
 * Returns a file's chain as CSV. @param ask requests the newest `before` links, or `before` links older than `hashId`
 */
export async function chainCsv(
  ask: (request: { hashId?: string; before: number }) => Promise<Links>,
): Promise<ChainCsv> {
  const links: Link[] = [];
  const entries = new Map<string, ChainEntry>();
  let whole = false;
  for (let call = 0; call < MOST_CALLS && !whole; call++) {
    const oldest = links.at(-1);
    const more = await ask({ ...(oldest && { hashId: oldest.id }), before: LINKS_A_CALL });
    const known = new Set(links.map(({ id }) => id));
    links.push(...more.links.filter(({ id }) => !known.has(id)));
    for (const entry of more.entries ?? []) entries.set(entry.id, entry);
    whole = !more.older;
  }
  const found = chainRows(links, [...entries.values()]);
  const oldest = found.at(-1);
  const hasGap =
    found.some(({ kind }) => kind === 'gap') || (oldest?.kind !== 'gap' && (oldest?.number ?? 0) > 0);
  const rows = found.flatMap((row) =>
    row.kind === 'link' ? [linkCells(row.link)] : row.kind === 'entry' ? [entryCells(row.entry)] : [],
  );
  const lines = [HEADER, ...rows.map((cells) => cells.map(textOf))].map(csvLine);
  return { text: CSV_BOM + lines.join(''), whole: whole && !hasGap };
}

type Cell = string | number | null;

const anchorCells = ({ anchor, bsvId }: Pick<Link, 'anchor' | 'bsvId'>): Cell[] => [
  anchor.state,
  anchor.batch,
  anchor.confirmations,
  bsvId,
];

const linkCells = (link: Link): Cell[] => [
  link.number,
  link.id,
  link.type,
  link.timestamp,
  link.hash,
  link.length,
  link.linkHash,
  link.alerts.map(({ type, status }) => `${wordFor(alertName, type)} ${status}`).join(', '),
  ...anchorCells(link),
];

const entryCells = (entry: ChainEntry): Cell[] => [
  entry.number,
  entry.id,
  wordFor(entryWord, entry.kind),
  entry.timestamp,
  null,
  null,
  entry.linkHash,
  entry.alert === null ? null : `${wordFor(alertName, entry.alert.type)} ${entry.alert.status}`,
  ...anchorCells(entry),
];

/** Returns a cell's text; an empty text is a missing value. */
const textOf = (cell: Cell): CsvCell => (cell === '' ? null : cell?.toString());
