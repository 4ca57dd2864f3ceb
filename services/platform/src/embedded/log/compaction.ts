import type { StoredRecord } from '../../ports/event-log.ts';
import type { Sqlite } from '../sqlite.ts';
import { decodeFrame, encodeSparseFrame } from './frame.ts';
import { rowKey } from './log-protocol.ts';
import { rowFrame } from './log-tables.ts';

const NEWEST_FIRST =
  'SELECT k & 17592186044415, next FROM batches WHERE k >= ? AND k < ? ORDER BY k DESC LIMIT 1';

/**
 * Keeps the newest record of each key of one partition, under its own offset, in one transaction. Reads the rows from
 * the newest to the oldest. The set of keys is bounded by the number of keys of a compacted topic (devices).
 */
export function compactSlot(sqlite: Sqlite, slot: number): void {
  sqlite.transaction(() => {
    const seen = new Set<string>();
    let below = rowKey(slot + 1, 0);
    for (;;) {
      const row = sqlite.statement(NEWEST_FIRST).first([rowKey(slot, 0), below]) as
        | [number, number]
        | undefined;
      if (row === undefined) return;
      const [first, next] = row;
      below = rowKey(slot, first);
      rewrite(sqlite, slot, first, next, seen);
    }
  });
}

function rewrite(sqlite: Sqlite, slot: number, first: number, next: number, seen: Set<string>): void {
  const records = decodeFrame(rowFrame(sqlite, slot, first), 0, first);
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
