/** Reads the entries of a file between two numbers from their records. */
import {
  BUNDLE_LIMITS,
  TOPICS,
  toHex,
  ZERO_HASH,
  type BundleQuery,
  type Entry,
} from '@sentinel-node/contracts';
import { ApiError, UnreadableRecordError, type DocumentStore, type EventLog } from '@sentinel-node/platform';
import { type ChainPosition, readChainRecord, VIEWS } from '../views/index.ts';
import type { EntryView } from './entry.ts';
import { PROOF_WORK } from './limits.ts';

export interface PlacedEntry {
  readonly entry: Entry;
  readonly position: ChainPosition;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the requested range with both ends.
 * @throws ApiError NOT_FOUND beyond the newest entry; VALIDATION_FAILED when `from` is after `to` or the range has too
 * many entries
 */
export async function rangeOf(store: DocumentStore, fileId: string, asked: BundleQuery): Promise<Range> {
  const newest = (await viewsBetween(store, fileId, {}, 'desc', 1))[0]?.number;
  if (newest === undefined) throw new ApiError('NOT_FOUND', { detail: 'The file has no entries yet.' });
  const { from = 0, to = newest } = asked;
  if (Math.max(from, to) > newest)
    throw new ApiError('NOT_FOUND', { detail: `The newest entry has the number ${newest}.` });
  if (from > to) throw new ApiError('VALIDATION_FAILED', { detail: '`from` is after `to`.' });
  const { entries } = BUNDLE_LIMITS;
  if (to - from < entries) return { from, to };
  const next = from + entries;
  throw new ApiError('VALIDATION_FAILED', {
    detail: `A bundle has at most ${entries} entries: ask for from=${from}&to=${next - 1}, then for from=${next}, and so on to ${to}.`,
  });
}

/** Returns the link hash of the entry before this number; zeros at 0. */
export async function linkHashBefore(store: DocumentStore, fileId: string, number: number): Promise<string> {
  if (number === 0) return toHex(ZERO_HASH);
  const [before] = await viewsBetween(store, fileId, { gte: number - 1, lte: number - 1 }, 'asc', 1);
  if (before === undefined) throw new Error(`entry ${number - 1} of file ${fileId} is in no view`);
  return before.linkHash;
}

/**
 * Returns the entries in the order of their numbers, without gaps.
 * @param look called before each read of the log, with the number of the next entry
 * @throws Error when an entry is in no view
 */
export async function entriesBetween(
  { store, eventLog }: { readonly store: DocumentStore; readonly eventLog: EventLog },
  fileId: string,
  { from, to }: Range,
  look: (number: number) => void,
): Promise<PlacedEntry[]> {
  const views = await viewsBetween(store, fileId, { gte: from, lte: to }, 'asc', BUNDLE_LIMITS.entries);
  const missing = views.findIndex(({ number }, at) => number !== from + at);
  if (missing >= 0 || views.length !== to - from + 1)
    throw new Error(`entry ${from + Math.max(missing, 0)} of file ${fileId} or one after it is in no view`);
  const byId = new Map<string, Entry>();
  for (const run of runsOf(views)) {
    look(run.number);
    for await (const entry of entriesIn(eventLog, fileId, run)) byId.set(entry.id, entry);
  }
  return views.map(({ id, offset, partition }) => {
    const position = { partition, offset };
    const entry = byId.get(id);
    if (entry === undefined) throw new UnreadableRecordError(TOPICS.chain, position);
    return { entry, position };
  });
}

async function viewsBetween(
  store: DocumentStore,
  fileId: string,
  number: { readonly gte?: number; readonly lte?: number },
  direction: 'asc' | 'desc',
  limit: number,
): Promise<EntryView[]> {
  const where = Object.keys(number).length === 0 ? { fileId } : { fileId, number };
  const query = { where, sort: { field: 'number', direction }, limit } as const;
  const found = await Promise.all([store.find(VIEWS.links, query), store.find(VIEWS.chainEntries, query)]);
  const views: EntryView[] = found.flat();
  const sign = direction === 'asc' ? 1 : -1;
  return views.sort((a, b) => sign * (a.number - b.number)).slice(0, limit);
}

interface Run {
  /** Number of the first entry. */
  readonly number: number;
  readonly partition: number;
  readonly offsets: Set<number>;
  readonly from: number;
  to: number;
}

/** Groups neighbouring entries into one read of the log each. All records of a file are in one partition. */
function runsOf(views: readonly EntryView[]): Run[] {
  const runs: Run[] = [];
  for (const { number, offset, partition } of views) {
    const last = runs.at(-1);
    if (last?.partition === partition && offset - last.to < PROOF_WORK.readAlong && offset >= last.from) {
      last.to = Math.max(last.to, offset + 1);
      last.offsets.add(offset);
    } else runs.push({ number, partition, offsets: new Set([offset]), from: offset, to: offset + 1 });
  }
  return runs;
}

async function* entriesIn(
  eventLog: EventLog,
  fileId: string,
  { from, offsets, partition, to }: Run,
): AsyncGenerator<Entry> {
  for await (const { records } of eventLog.read(TOPICS.chain, partition, from, to))
    for (const stored of records) {
      const record = offsets.has(stored.offset) ? readChainRecord(stored) : undefined;
      if (record?.fileId === fileId) yield* record.entries;
    }
}
