import { LIMITS } from '@sentinel-node/contracts';
import type { LogRecord, Position } from '../../ports/event-log.ts';
import { NAME_BYTES } from './frame.ts';
import type { PartitionState } from './partition.ts';

/** Most UTF-8 bytes that one UTF-16 code unit can become. */
const BYTES_PER_UNIT = 3;

/** @throws RangeError for a record that is too large for the log */
export function assertSize(record: LogRecord): void {
  if (record.body.byteLength > LIMITS.logRecordBytes)
    throw new RangeError(`a record of the log has more than ${LIMITS.logRecordBytes} bytes`);
  if (isTooLong(record.key) || isTooLong(record.id))
    throw new RangeError(`key or id of a record has more than ${NAME_BYTES} bytes`);
}

/** Measures only long texts, because every record is checked. */
function isTooLong(name: string): boolean {
  return name.length > NAME_BYTES / BYTES_PER_UNIT && Buffer.byteLength(name) > NAME_BYTES;
}

/** Makes volatile records visible at once; only memory holds them. */
export function publishVolatile(
  records: readonly LogRecord[],
  partitions: readonly PartitionState[],
): Position[] {
  return records.map(({ key, id, body }, index) => {
    const state = partitions[index]!;
    const position = { partition: state.partition, offset: state.end };
    state.publish([{ key, id, body, ...position }]);
    return position;
  });
}
