import type { KafkaMessage } from 'kafkajs';
import type { LogRecord, StoredRecord } from '../ports/event-log.ts';
import type { PartitionedMessage } from './producer-session.ts';

/** Header that holds the id of the record. */
const ID_HEADER = 'id';
/** Timestamp, lengths and header of a record on the wire, and its share of the batch's head. */
const MESSAGE_OVERHEAD_BYTES = 64;
const NOTHING = Buffer.alloc(0);

export function toMessage({ key, id, body }: LogRecord, partition: number): PartitionedMessage {
  const value = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return { key, value, headers: { [ID_HEADER]: id }, partition };
}

/** About what a record takes on the wire and while it waits. */
export function messageBytes({ key, id, body }: LogRecord): number {
  return body.byteLength + key.length + id.length + MESSAGE_OVERHEAD_BYTES;
}

/** A record that somebody else wrote may lack key, id or value: they are empty then. */
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
