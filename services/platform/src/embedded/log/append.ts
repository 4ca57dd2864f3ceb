import { LIMITS } from '@sentinel-node/contracts';
import type { LogRecord, Position } from '../../ports/event-log.ts';
import { NAME_BYTES } from './frame.ts';
import type { PartitionState } from './partition.ts';

/** @throws RangeError for a record that is too large for the log */
export function assertSize(record: LogRecord): void {
  if (record.body.byteLength > LIMITS.logRecordBytes)
    throw new RangeError(`a record of the log has more than ${LIMITS.logRecordBytes} bytes`);
  if (Buffer.byteLength(record.key) > NAME_BYTES || Buffer.byteLength(record.id) > NAME_BYTES)
    throw new RangeError(`key or id of a record has more than ${NAME_BYTES} bytes`);
}

/** Makes volatile records visible at once; they are kept in memory only. */
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
