import { workerData } from 'node:worker_threads';
import { Sqlite } from '../sqlite.ts';
import { serve } from '../worker-protocol.ts';
import type { LogThreadOptions, ReaderReply, ReaderRequest, ReadRow } from './log-protocol.ts';
import { rowFrame, rowHeads } from './log-tables.ts';

/** Rows looked at for one answer; their bytes are bounded by the request. */
const ROWS_PER_READ = 1_024;

const options = workerData as LogThreadOptions;
const sqlite = new Sqlite(options.file, options);

/** At least one row when there is one, then as many as fit. */
function read(slot: number, from: number, maxBytes: number): ReadRow[] {
  const rows: ReadRow[] = [];
  let bytes = 0;
  // One transaction: a compaction in between must not take away a row whose head was seen.
  sqlite.statement('BEGIN').run([]);
  try {
    for (const head of rowHeads(sqlite, slot, from, ROWS_PER_READ)) {
      bytes += head.bytes;
      if (rows.length > 0 && bytes > maxBytes) break;
      rows.push({ first: head.first, next: head.next, frame: rowFrame(sqlite, slot, head.first) });
    }
  } finally {
    sqlite.statement('COMMIT').run([]);
  }
  return rows;
}

function handle(request: ReaderRequest): { value: ReaderReply; transfer?: ArrayBuffer[] } {
  if (request.op === 'end') {
    sqlite.close();
    return { value: [] };
  }
  const rows = read(request.slot, request.from, request.maxBytes);
  return { value: rows, transfer: rows.map((row) => row.frame) };
}

serve<ReaderRequest, ReaderReply>(handle, (request) => request.op === 'end');
