import type { Sqlite } from '../sqlite.ts';
import { openFile, serve, type Answer } from '../worker-protocol.ts';
import type { LogThreadOptions, ReaderReply, ReaderRequest, ReadRow } from './log-protocol.ts';
import { rowFrame, rowHeads } from './log-tables.ts';

/** The most rows of one answer; the request limits their bytes. */
const ROWS_PER_READ = 1_024;

/** Returns at least one row if any exists, then as many as fit into `maxBytes`. */
function read(sqlite: Sqlite, slot: number, from: number, maxBytes: number): ReadRow[] {
  const rows: ReadRow[] = [];
  let bytes = 0;
  // One transaction, so that compaction cannot remove a row between reading its head and its frame.
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

function handle(sqlite: Sqlite, request: ReaderRequest): Answer<ReaderReply> {
  if (request.op === 'end') {
    sqlite.close();
    return { value: [] };
  }
  const rows = read(sqlite, request.slot, request.from, request.maxBytes);
  return { value: rows, transfer: rows.flatMap(({ frame }) => frame ?? []) };
}

serve((options: LogThreadOptions) => {
  const sqlite = openFile(options.file, options);
  return (request: ReaderRequest) => handle(sqlite, request);
});
