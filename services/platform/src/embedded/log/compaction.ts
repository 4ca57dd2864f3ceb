import type { StoredRecord } from '../../ports/event-log.ts';
import type { Sqlite } from '../sqlite.ts';
import { encodeSparseFrame } from './frame.ts';
import { rowKey, type ReadRow } from './log-protocol.ts';
import { newestRow, placeOf } from './log-tables.ts';
import { rowRecords } from './row-records.ts';
import { RowUnreadableError } from './row-unreadable-error.ts';

/**
 * Keeps the newest record of each key of one partition, under its own offset, in one transaction. Reads the rows from
 * the newest to the oldest. The set of keys is bounded by the number of keys of a compacted topic (devices).
 */
export function compactSlot(sqlite: Sqlite, slot: number): void {
  sqlite.transaction(() => {
    const seen = new Set<string>();
    let below: number | undefined;
    for (;;) {
      const row = newestRow(sqlite, slot, below);
      if (row === undefined) return;
      below = row.first;
      rewrite(sqlite, slot, row, seen);
    }
  });
}

function rewrite(sqlite: Sqlite, slot: number, row: ReadRow, seen: Set<string>): void {
  const { first, next } = row;
  const records = recordsOf(sqlite, slot, row);
  const kept: StoredRecord[] = [];
  for (const record of records.toReversed()) {
    if (seen.has(record.key)) continue;
    seen.add(record.key);
    kept.push(record);
  }
  if (kept.length === records.length) return;
  const key = rowKey(slot, first);
  sqlite.statement('DELETE FROM batches WHERE k = ?').run([key]);
  if (kept.length === 0) return;
  const frame = encodeSparseFrame(kept.toReversed(), first);
  sqlite.statement('INSERT INTO batches (k, next, frame) VALUES (?, ?, ?)').run([key, BigInt(next), frame]);
}

/** @throws Error in the words of a RowUnreadableError: no PortError, after which the caller would go on and try again later */
function recordsOf(sqlite: Sqlite, slot: number, row: ReadRow): StoredRecord[] {
  try {
    return rowRecords(row, 0, false);
  } catch (cause) {
    throw new Error(RowUnreadableError.of(placeOf(sqlite, slot), row.first, cause).message, { cause });
  }
}
