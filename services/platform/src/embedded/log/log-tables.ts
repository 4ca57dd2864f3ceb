import { PartitionCountChangedError } from '../../ports/errors.ts';
import type { TopicSpec } from '../../ports/event-log.ts';
import type { Sqlite } from '../sqlite.ts';
import { OFFSET_MASK, rowKey } from './log-protocol.ts';
import type { GroupOffset, OpenedLog, OpenedPartition, ReadRow } from './log-protocol.ts';
import { rowRecords } from './row-records.ts';
import { RowUnreadableError } from './row-unreadable-error.ts';

const TABLES = [
  'CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS topics (name TEXT PRIMARY KEY, partitions INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS slots (slot INTEGER PRIMARY KEY, topic TEXT NOT NULL, part INTEGER NOT NULL, UNIQUE (topic, part))',
  'CREATE TABLE IF NOT EXISTS batches (k INTEGER PRIMARY KEY, next INTEGER NOT NULL, frame BLOB NOT NULL)',
  'CREATE TABLE IF NOT EXISTS offsets (grp TEXT NOT NULL, slot INTEGER NOT NULL, next INTEGER NOT NULL, PRIMARY KEY (grp, slot)) WITHOUT ROWID',
];

/**
 * Creates missing tables and compares the topics with the stored ones. Volatile topics have no rows.
 * @throws PartitionCountChangedError, RowUnreadableError
 */
export function openTables(sqlite: Sqlite, topics: readonly TopicSpec[], epoch: string): OpenedLog {
  return sqlite.transaction(() => {
    for (const table of TABLES) sqlite.exec(table);
    sqlite.statement("INSERT INTO meta VALUES ('epoch', ?) ON CONFLICT DO NOTHING").run([epoch]);
    const kept = sqlite.statement("SELECT value FROM meta WHERE name = 'epoch'").first([]);
    for (const topic of topics) ensureTopic(sqlite, topic);
    return { epoch: String(kept?.[0]), partitions: partitionsOf(sqlite, topics), offsets: offsetsOf(sqlite) };
  });
}

function ensureTopic(sqlite: Sqlite, topic: TopicSpec): void {
  const found = sqlite.statement('SELECT partitions FROM topics WHERE name = ?').first([topic.name]);
  if (found !== undefined) {
    if (found[0] !== topic.partitions)
      throw new PartitionCountChangedError(topic.name, Number(found[0]), topic.partitions);
    return;
  }
  sqlite.statement('INSERT INTO topics VALUES (?, ?)').run([topic.name, BigInt(topic.partitions)]);
  if (topic.retention === 'volatile') return;
  for (let partition = 0; partition < topic.partitions; partition++) {
    sqlite.statement('INSERT INTO slots (topic, part) VALUES (?, ?)').run([topic.name, BigInt(partition)]);
  }
}

function partitionsOf(sqlite: Sqlite, topics: readonly TopicSpec[]): OpenedPartition[] {
  const found: OpenedPartition[] = [];
  for (const topic of topics) {
    const rows = sqlite
      .statement('SELECT part, slot FROM slots WHERE topic = ? ORDER BY part')
      .all([topic.name]);
    const missing = rows.findIndex(([partition], at) => partition !== at);
    const lacks = missing >= 0 ? missing : rows.length;
    if (topic.retention !== 'volatile' && lacks < topic.partitions)
      throw RowUnreadableError.of(
        { topic: topic.name, partition: lacks },
        0,
        'the file names no place of its rows',
      );
    for (const [partition, slot] of rows as [number, number][]) {
      found.push({ topic: topic.name, partition, slot, end: endOf(sqlite, slot, topic, partition) });
    }
  }
  return found;
}

/**
 * Returns the end of a partition. @throws RowUnreadableError when the last row says another one than its records: whoever appended there
 * would leave a gap, or write other records of the same offsets
 */
function endOf(sqlite: Sqlite, slot: number, { name, retention }: TopicSpec, partition: number): number {
  const last = newestRow(sqlite, slot);
  if (last === undefined) return 0;
  try {
    const records = rowRecords(last, partition, retention !== 'compacted');
    // Compaction never takes the last record of a partition: it is the newest of its key.
    if (records.at(-1)!.offset !== last.next - 1)
      throw new Error('the last row of the log has not the record with which it ends');
  } catch (error) {
    throw RowUnreadableError.of({ topic: name, partition }, last.first, error);
  }
  return last.next;
}

/** Returns the topic and partition of a slot, for people. */
export function placeOf(sqlite: Sqlite, slot: number): { topic: string; partition: number } {
  const [topic, partition] = sqlite
    .statement('SELECT topic, part FROM slots WHERE slot = ?')
    .first([BigInt(slot)]) as [string, number];
  return { topic, partition };
}

function offsetsOf(sqlite: Sqlite): GroupOffset[] {
  const rows = sqlite.statement('SELECT grp, slot, next FROM offsets').all([]) as [string, number, number][];
  return rows.map(([group, slot, next]) => {
    if (!Number.isSafeInteger(next) || next < 0)
      throw new RowUnreadableError(`the position of the group ${group}`, `${next} is no offset`);
    return { group, slot, next };
  });
}

export interface RowHead {
  readonly first: number;
  readonly next: number;
  readonly bytes: number;
}

const HEADS =
  `SELECT k & ${OFFSET_MASK}, next, length(frame) FROM batches ` +
  'WHERE k >= coalesce((SELECT max(k) FROM batches WHERE k >= ? AND k <= ?), ?) AND k < ? ORDER BY k LIMIT ?';

/** Returns the heads of the row with `from` and of the rows after it, at most `rows`. */
export function rowHeads(sqlite: Sqlite, slot: number, from: number, rows: number): RowHead[] {
  const lowest = rowKey(slot, 0);
  const found = sqlite
    .statement(HEADS)
    .all([lowest, rowKey(slot, from), lowest, rowKey(slot + 1, 0), BigInt(rows)]) as [
    number,
    number,
    number,
  ][];
  return found.map(([first, next, bytes]) => ({ first, next, bytes })).filter((head) => head.next > from);
}

const NEWEST = `SELECT k & ${OFFSET_MASK}, next FROM batches WHERE k >= ? AND k < ? ORDER BY k DESC LIMIT 1`;

/** Returns the newest row of a partition; with `below`, of those that begin before that offset. */
export function newestRow(sqlite: Sqlite, slot: number, below?: number): ReadRow | undefined {
  const end = below === undefined ? rowKey(slot + 1, 0) : rowKey(slot, below);
  const found = sqlite.statement(NEWEST).first([rowKey(slot, 0), end]) as [number, number] | undefined;
  if (found === undefined) return undefined;
  const [first, next] = found;
  return { first, next, frame: rowFrame(sqlite, slot, first) };
}

/** Returns the frame of a row; undefined when there are no bytes. */
export function rowFrame(sqlite: Sqlite, slot: number, first: number): ArrayBuffer | undefined {
  const row = sqlite.statement('SELECT frame FROM batches WHERE k = ?').first([rowKey(slot, first)]);
  if (row === undefined) throw new Error('a row of the log is gone');
  const [blob] = row;
  if (!(blob instanceof Uint8Array)) return undefined;
  if (blob.byteOffset === 0 && blob.byteLength === blob.buffer.byteLength) return blob.buffer as ArrayBuffer;
  return blob.slice().buffer;
}
