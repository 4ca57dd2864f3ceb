import { join } from 'node:path';
import type { EventLog, LogRecord } from '@sentinel-node/platform';
import { readLines } from './line-file.ts';
import { recordOf } from './log-records.ts';
import type { Manifest } from './manifest.ts';

/** Yields the records of a topic: those of the backup, or of the log that a backup without the log has to fit. */
export async function* recordsOf(
  topic: string,
  { ends, partitions }: Pick<Manifest, 'ends' | 'partitions'>,
  folder: string,
  eventLog: EventLog,
): AsyncGenerator<LogRecord> {
  for (const { file } of partitions.filter((one) => one.topic === topic))
    for await (const line of readLines(join(folder, file))) yield recordOf(line, file);
  if (partitions.length > 0) return;
  const found = ends.find((one) => one.topic === topic);
  for (const [partition, end] of (found?.ends ?? []).entries())
    for await (const { records } of eventLog.read(topic, partition, 0, end)) yield* records;
}
