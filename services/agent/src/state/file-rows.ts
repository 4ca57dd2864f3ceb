import type { Report } from '@sentinel-node/contracts';
import { NO_MEMORY, type ArchiveMemory, type FileMemory } from '../domain/memory.ts';
import { parsedJson } from '../parsed-json.ts';
import { isArchives, isMemory, isReport } from './forms.ts';
import type { Change, Part, Row } from './store.ts';

/** A waiting report with the memory after it. The row's number gives the sequence, not the text. */
export interface Spooled {
  readonly report: Report;
  readonly memory: FileMemory;
}

export interface Waiting {
  readonly sequence: number;
  /** ISO 8601, by the agent's clock. */
  readonly timestamp: string;
  readonly bytes: number;
  /** When it was kept, or found at the start, by the steady clock, in ms. */
  readonly keptMs: number;
}

export interface FileContents {
  readonly accepted: FileMemory;
  readonly archives: readonly ArchiveMemory[];
  readonly waiting: readonly Waiting[];
  /** Memory after the last waiting report; undefined without one. */
  readonly newest: FileMemory | undefined;
  /** Short names of the damaged rows. */
  readonly broken: readonly string[];
  /** Changes that set the damaged rows aside and remove answered ones. */
  readonly changes: readonly Change[];
}

/** One shared empty list, which saves memory for ten thousand files. */
const NONE: readonly never[] = [];

/** Contents of a file without rows. */
const NOTHING: FileContents = {
  ...{ accepted: NO_MEMORY, newest: undefined },
  ...{ archives: NONE, waiting: NONE, broken: NONE, changes: NONE },
};

/**
 * Parses a file's rows at this time of the steady clock. Damaged rows are set aside, and with a damaged report all later ones, so that the file continues
 * from the last undamaged state.
 */
export function contentsOf(rows: readonly Row[], nowMs: number): FileContents {
  if (rows.length === 0) return NOTHING;
  const broken: string[] = [];
  const changes: Change[] = [];
  const aside = (from: Part, { number }: Row): void => {
    broken.push(from === 'archives' ? from : `${from} ${number}`);
    changes.push({ do: 'move', from, fromNumber: number, to: 'broken', toNumber: number });
  };
  const of = (part: Part): Row[] =>
    rows.filter((row) => row.part === part).sort((a, b) => a.number - b.number);
  const accepted = acceptedIn(of('memory'), (row) => aside('memory', row));
  const archives: ArchiveMemory[][] = [];
  for (const row of of('archives')) {
    const value = row.isWhole ? parsedJson(row.text) : undefined;
    if (isArchives(value)) archives.push(value);
    else aside('archives', row);
  }
  const waiting: Waiting[] = [];
  let newest: FileMemory | undefined;
  let isCut = false;
  for (const row of of('refused')) if (!row.isWhole) aside('refused', row);
  for (const row of of('report')) {
    if (row.isWhole && row.number <= accepted.sequence) {
      changes.push({ do: 'removeBelow', part: 'report', number: row.number + 1 }); // left by an older agent
      continue;
    }
    const entry: Spooled | undefined = row.isWhole && !isCut ? parsedReport(row.text, row.number) : undefined;
    isCut ||= entry === undefined;
    if (entry === undefined) {
      aside('report', row);
      continue;
    }
    const { timestamp } = entry.report;
    waiting.push({ sequence: row.number, bytes: row.text.length, timestamp, keptMs: nowMs });
    newest = entry.memory;
  }
  return {
    accepted,
    archives: archives[0] ?? NONE,
    waiting: sharedIfEmpty(waiting),
    newest,
    broken: sharedIfEmpty(broken),
    changes,
  };
}

/** Returns the shared empty list in place of an empty list. */
export const sharedIfEmpty = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list);

/** Returns the newest undamaged accepted state. */
function acceptedIn(rows: readonly Row[], aside: (row: Row) => void): FileMemory {
  for (const row of rows.toReversed()) {
    // `accepted` moves the report's row here unchanged.
    const value = row.isWhole ? objectIn<FileMemory & Spooled>(row.text) : undefined;
    const memory = value?.memory ?? value;
    const found = memoryOf(memory, row.number);
    if (typeof memory?.sequence === 'number' && found !== undefined) return found;
    aside(row);
  }
  return NO_MEMORY;
}

/** Parses a waiting report; undefined when the text is none. */
export function parsedReport(text: string, sequence: number): Spooled | undefined {
  const value = objectIn<Spooled>(text);
  const memory = memoryOf(value?.memory, sequence);
  if (memory === undefined || !isReport(value?.report)) return undefined;
  return { report: { ...value.report, sequence }, memory };
}

/** Returns a saved memory, whose members another version may have omitted; undefined for one of another form. */
function memoryOf(value: Partial<FileMemory> | undefined, sequence: number): FileMemory | undefined {
  if (typeof value !== 'object') return undefined;
  const memory = { ...NO_MEMORY, ...value, sequence };
  return isMemory(memory) ? memory : undefined;
}

/** Returns a saved object; another version of the agent may have omitted members. */
function objectIn<T extends object>(text: string): Partial<T> | undefined {
  const value = parsedJson(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}
