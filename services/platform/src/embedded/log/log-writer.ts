import type { Sqlite } from '../sqlite.ts';
import { openFile, serve, type Answer } from '../worker-protocol.ts';
import { compactSlot } from './compaction.ts';
import { rowKey } from './log-protocol.ts';
import type { LogThreadOptions, WriterReply, WriterRequest } from './log-protocol.ts';
import { openTables } from './log-tables.ts';

type FlushRequest = Extract<WriterRequest, { readonly op: 'flush' }>;

function flush(sqlite: Sqlite, { rows, memory, offsets }: FlushRequest): void {
  sqlite.transaction(() => {
    const insert = sqlite.statement('INSERT INTO batches (k, next, frame) VALUES (?, ?, ?)');
    for (const row of rows) {
      const frame = Buffer.from(memory!, row.at, row.bytes);
      insert.run([rowKey(row.slot, row.first), BigInt(row.next), frame]);
    }
    const commit = sqlite.statement(
      'INSERT INTO offsets VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET next = excluded.next',
    );
    for (const offset of offsets) commit.run([offset.group, BigInt(offset.slot), BigInt(offset.next)]);
  });
}

function handle(sqlite: Sqlite, request: WriterRequest): Answer<WriterReply> {
  switch (request.op) {
    case 'open':
      if (request.maxBytes > 0) sqlite.limitBytes(request.maxBytes);
      return { value: openTables(sqlite, request.topics, request.epoch) };
    case 'flush':
      flush(sqlite, request);
      return { value: request.memory, transfer: request.memory === undefined ? [] : [request.memory] };
    case 'limit':
      sqlite.limitBytes(request.maxBytes);
      break;
    case 'compact':
      compactSlot(sqlite, request.slot);
      break;
    case 'end':
      sqlite.end();
  }
  return { value: undefined };
}

serve((options: LogThreadOptions) => {
  const sqlite = openFile(options.file, options);
  return (request: WriterRequest) => handle(sqlite, request);
});
