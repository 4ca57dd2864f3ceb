import type { Report } from '@sentinel-node/contracts';
import { NO_MEMORY, type ArchiveMemory, type FileMemory } from '../domain/memory.ts';
import type { Change, Part, Row } from './store.ts';

/** A report that waits, with what is remembered once it is made. The sequence is the row's number, not in the text. */
export interface Spooled {
  readonly report: Report;
  readonly memory: FileMemory;
}

export interface Waiting {
  readonly sequence: number;
  /** ISO 8601, by the agent's clock. */
  readonly timestamp: string;
  readonly bytes: number;
}

export interface FileContents {
  readonly accepted: FileMemory;
  readonly archives: readonly ArchiveMemory[];
  readonly waiting: readonly Waiting[];
  /** What is remembered after the last report that waits. */
  readonly newest: FileMemory | undefined;
  /** What is not whole, in a word or two each. */
  readonly broken: readonly string[];
  /** Sets that aside. */
  readonly changes: readonly Change[];
}

/** One empty list for ten thousand files. */
const NONE: readonly never[] = [];

/**
 * What is kept of a file. What is not whole is set aside, and with a report all that builds on it: the file goes on from
 * the last state that is sure.
 */
export function contentsOf(rows: readonly Row[]): FileContents {
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
    const value = row.isWhole ? parsed(row.text) : undefined;
    if (Array.isArray(value)) archives.push(value);
    else aside('archives', row);
  }
  const waiting: Waiting[] = [];
  let newest: FileMemory | undefined;
  let isCut = false;
  for (const row of of('report')) {
    if (row.number <= accepted.sequence) {
      changes.push({ do: 'removeBelow', part: 'report', number: row.number + 1 }); // answered, by an older agent
      continue;
    }
    const entry: Spooled | undefined = row.isWhole && !isCut ? parsedReport(row.text, row.number) : undefined;
    isCut ||= entry === undefined;
    if (entry === undefined) {
      aside('report', row);
      continue;
    }
    waiting.push({ sequence: row.number, bytes: row.text.length, timestamp: entry.report.timestamp });
    newest = entry.memory;
  }
  return {
    accepted,
    archives: archives[0] ?? NONE,
    waiting: orNone(waiting),
    newest,
    broken: orNone(broken),
    changes,
  };
}

/** Without keeping an empty list of its own. */
export const orNone = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list);

/** The newest accepted state. */
function acceptedIn(rows: readonly Row[], aside: (row: Row) => void): FileMemory {
  for (const row of rows.toReversed()) {
    // The report that was accepted last became this row as it was.
    const value = row.isWhole ? objectIn<FileMemory & Spooled>(row.text) : undefined;
    const memory = value?.memory ?? value;
    if (typeof memory?.sequence === 'number') return { ...NO_MEMORY, ...memory, sequence: row.number };
    aside(row);
  }
  return NO_MEMORY;
}

/** A report that waits; undefined: it is none. */
export function parsedReport(text: string, sequence: number): Spooled | undefined {
  const value = objectIn<Spooled>(text);
  if (typeof value?.report !== 'object' || typeof value.memory !== 'object') return undefined;
  return {
    report: { ...value.report, sequence },
    memory: { ...NO_MEMORY, ...value.memory, sequence },
  };
}

/** The members of an object that an agent kept; one of another version may have left out some. */
function objectIn<T extends object>(text: string): Partial<T> | undefined {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
