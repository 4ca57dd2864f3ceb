import { LIMITS } from '@sentinel-node/contracts';
import type { KafkaMessage } from 'kafkajs';
import type { LogRecord, StoredRecord } from '../ports/event-log.ts';
import type { PartitionedMessage } from './producer-session.ts';

/** Name of the header with the record's id. */
const ID_HEADER = 'id';
/** Bytes of a record's timestamp, lengths and header on the wire, and its share of the batch's head. */
const MESSAGE_OVERHEAD_BYTES = 64;
const NOTHING = Buffer.alloc(0);

/** Longest key and longest id of a record, in bytes. */
const NAME_BYTES = 65_535;

/** @throws RangeError */
export function assertSize({ key, id, body }: LogRecord): void {
  if (body.byteLength > LIMITS.logRecordBytes)
    throw new RangeError(`a record of the log has more than ${LIMITS.logRecordBytes} bytes`);
  if (Buffer.byteLength(key) > NAME_BYTES || Buffer.byteLength(id) > NAME_BYTES)
    throw new RangeError(`key or id of a record has more than ${NAME_BYTES} bytes`);
}

export function toMessage({ key, id, body }: LogRecord, partition: number): PartitionedMessage {
  const value = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return { key, value, headers: { [ID_HEADER]: id }, partition };
}

/** Returns the approximate bytes of a record on the wire and in the queue. */
export function messageBytes({ key, id, body }: LogRecord): number {
  return body.byteLength + key.length + id.length + MESSAGE_OVERHEAD_BYTES;
}

/** Returns the record of a message; missing parts of a foreign record (key, id or value) become empty. */
export function fromMessage({ key, value, headers, offset }: KafkaMessage, partition: number): StoredRecord {
  const id = headers?.[ID_HEADER];
  return {
    key: key?.toString() ?? '',
    id: id?.toString() ?? '',
    body: value ?? NOTHING,
    partition,
    offset: Number(offset),
  };
}
