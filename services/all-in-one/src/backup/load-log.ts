import { join } from 'node:path';
import type { EventLog, LogRecord } from '@sentinel-node/platform';
import { BackupError } from './errors.ts';
import { readLines } from './line-file.ts';
import { recordOf } from './log-records.ts';
import type { Manifest } from './manifest.ts';

/** Most records and bytes of one append. */
const APPEND_RECORDS = 1_000;
const APPEND_BYTES = 8 * 1_048_576;

/**
 * Appends every record to its former partition and at its former offset, because cuts, links and dead letters refer
 * to offsets. Nothing refers to offsets of a compacted topic.
 * @throws BackupError when the log gives a record another offset, or a file has another number of records than the manifest says
 */
export async function loadLog(
  eventLog: EventLog,
  { ends, partitions }: Manifest,
  folder: string,
  writeLine: (line: string) => void,
): Promise<void> {
  const isForEver = new Map(ends.map(({ topic, retention }) => [topic, retention === 'forever']));
  for (const { topic, partition, file, lines } of partitions) {
    writeLine(`${topic} partition ${partition}: ${lines} records`);
    let loaded = 0;
    for await (const records of appendsOf(join(folder, file))) {
      const positions = await eventLog.append(topic, records);
      loaded += records.length;
      for (const [index, position] of positions.entries()) {
        const { offset } = records[index]!;
        if (position.partition === partition && (position.offset === offset || isForEver.get(topic) !== true))
          continue;
        throw new BackupError(
          `${topic}: a record of partition ${partition}, offset ${offset}, came to partition ${position.partition}, offset ${position.offset}; make the topics anew and restore again`,
        );
      }
    }
    if (loaded !== lines)
      throw new BackupError(
        `${topic} partition ${partition}: the manifest says ${lines} records, its file has ${loaded}`,
      );
  }
}

async function* appendsOf(path: string): AsyncGenerator<(LogRecord & { readonly offset: number })[]> {
  let records: (LogRecord & { readonly offset: number })[] = [];
  let bytes = 0;
  for await (const line of readLines(path)) {
    const record = recordOf(line, path);
    if (
      records.length === APPEND_RECORDS ||
      (records.length > 0 && bytes + record.body.byteLength > APPEND_BYTES)
    ) {
      yield records;
      [records, bytes] = [[], 0];
    }
    records.push(record);
    bytes += record.body.byteLength;
  }
  if (records.length > 0) yield records;
}
