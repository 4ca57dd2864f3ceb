import type { StoredRecord } from '../../ports/event-log.ts';
import { decodeFrame } from './frame.ts';
import type { ReadRow } from './log-protocol.ts';

/**
 * Returns the records of a row, which is never empty. @param isWhole whether compaction takes no record out of the topic
 * @throws Error when the row is none that this program writes: no frame, or one with other offsets than its place in the file says
 */
export function rowRecords(
  { first, frame, next }: ReadRow,
  partition: number,
  isWhole: boolean,
): StoredRecord[] {
  if (frame === undefined) throw new Error('a row of the log holds no bytes');
  const records = decodeFrame(frame, partition, first);
  const isAscending = records.every(({ offset }, at) => at === 0 || offset > records[at - 1]!.offset);
  const end = (records.at(-1)?.offset ?? Infinity) + 1;
  const isInPlace = isAscending && (isWhole ? end === next && records.length === next - first : end <= next);
  if (!isInPlace) throw new Error('a row of the log has other offsets than its place says');
  return records;
}
