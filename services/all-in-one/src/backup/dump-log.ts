/** Writes the durable topics of the log, one file per partition. */
import { join } from 'node:path';
import { TOPICS, type AnchorRecord } from '@sentinel-node/contracts';
import { CLUSTER_TOPICS, type EventLog, type RecordBatch, type TopicSpec } from '@sentinel-node/platform';
import { BackupError } from './errors.ts';
import { LineWriter } from './line-file.ts';
import { lineOf } from './log-records.ts';
import type { Manifest } from './manifest.ts';

/**
 * Order of taking ends: topics of consequences before topics of causes, so that the backup contains the causes of all
 * its records.
 */
const ORDER: readonly string[] = [
  TOPICS.notices,
  TOPICS.operations,
  TOPICS.anchors,
  TOPICS.chain,
  TOPICS.deadLetters,
  TOPICS.fileEvents,
  TOPICS.registry,
  TOPICS.deviceHealth,
];

/** Topics in the backup: all but the feed, which only concerns the present. The log itself gives the partitions. */
export const KEPT_TOPICS: readonly Pick<TopicSpec, 'name' | 'retention'>[] = CLUSTER_TOPICS.filter(
  ({ retention }) => retention !== 'volatile',
).sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));

/**
 * Returns the current ends of the log.
 * @throws BackupError when a topic that is kept for ever does not begin with its first record
 */
export async function readLogEnds(eventLog: EventLog): Promise<Manifest['ends']> {
  const found: Manifest['ends'] = [];
  for (const { name, retention } of KEPT_TOPICS) {
    const bounds = await eventLog.bounds(name);
    const late = bounds.find(({ start }) => start > 0);
    if (retention === 'forever' && late !== undefined)
      throw new BackupError(
        `${name} partition ${late.partition} begins at offset ${late.start}: records that must be kept for ever are gone`,
      );
    found.push({ topic: name, retention, ends: bounds.map(({ end }) => end) });
  }
  return found;
}

/**
 * Writes the log. @throws BackupError when a topic that is kept for ever has a gap, whose offsets cannot be restored
 */
export async function dumpLog(
  eventLog: EventLog,
  ends: Manifest['ends'],
  folder: string,
  writeLine: (line: string) => void,
): Promise<Manifest['partitions']> {
  const files: Manifest['partitions'] = [];
  for (const kept of ends) {
    const { topic, retention, ends: partitions } = kept;
    writeLine(`${topic}: ${partitions.reduce((sum, end) => sum + end, 0)} records`);
    for (const [partition, end] of partitions.entries()) {
      if (end === 0) continue;
      const file = `log/${topic}/${partition}.ndjson.gz`;
      const writer = await LineWriter.open(join(folder, file));
      let next = 0;
      for await (const { records } of readKept(eventLog, kept, partition, end)) {
        for (const record of records) {
          if (retention === 'forever' && record.offset !== next)
            throw new BackupError(`${topic} partition ${partition} has no record at offset ${next}`);
          next = record.offset + 1;
          await writer.write(lineOf(record));
        }
      }
      files.push({ topic, partition, file, ...(await writer.close()) });
    }
  }
  return files;
}

/**
 * Reads a partition up to an end. Of a compacted topic also the records since: they replace records before the end,
 * which may be gone already.
 */
async function* readKept(
  eventLog: EventLog,
  { topic, retention }: Manifest['ends'][number],
  partition: number,
  end: number,
): AsyncIterable<RecordBatch> {
  yield* eventLog.read(topic, partition, 0, end);
  if (retention === 'compacted') yield* eventLog.read(topic, partition, end);
}

function batchOf(record: string): number {
  const { batch }: AnchorRecord = JSON.parse(record);
  return batch;
}

/** Returns the newest batch in the anchors topic before these ends; -1 without one. */
export async function lastBatch(eventLog: EventLog, ends: Manifest['ends']): Promise<number> {
  let last = -1;
  const decoder = new TextDecoder();
  const { ends: partitions } = ends.find(({ topic }) => topic === TOPICS.anchors)!;
  for (const [partition, end] of partitions.entries())
    for await (const { records } of eventLog.read(TOPICS.anchors, partition, 0, end))
      for (const { body } of records) last = Math.max(last, batchOf(decoder.decode(body)));
  return last;
}
