import type { LogRecord, StoredRecord } from '../../ports/event-log.ts';

/**
 * Bytes of one row of the log: u8 version, u8 flags, u16 zero, u32 count, then each record as u16 key bytes, u16 id
 * bytes, u32 body bytes, with flag SPARSE u32 offset above the row's first, then key, id (UTF-8) and body.
 * Integers are little-endian.
 */
const VERSION = 1;
const SPARSE = 1;
export const HEADER_BYTES = 8;
const RECORD_BYTES = 8;
const DELTA_BYTES = 4;
/** Longest key and id, in UTF-8 bytes. */
export const NAME_BYTES = 65_535;

/** Returns an upper bound of a record's bytes in a frame; names that are not ASCII count more than they take. */
export function framedBytes(record: LogRecord): number {
  return RECORD_BYTES + Buffer.byteLength(record.key) + Buffer.byteLength(record.id) + record.body.byteLength;
}

/** Encodes records into `memory` from `at` on, which has room for them. @returns the position after them */
export function encodeFrame(records: readonly LogRecord[], memory: Buffer, at: number): number {
  return encode(records, undefined, memory, at);
}

/** Encodes records with their offsets, for rows from which compaction removed records. */
export function encodeSparseFrame(records: readonly StoredRecord[], first: number): Buffer {
  const deltas = records.map((record) => record.offset - first);
  let room = HEADER_BYTES + DELTA_BYTES * records.length;
  for (const record of records) room += framedBytes(record);
  const memory = Buffer.allocUnsafe(room);
  return memory.subarray(0, encode(records, deltas, memory, 0));
}

function encode(
  records: readonly LogRecord[],
  deltas: readonly number[] | undefined,
  memory: Buffer,
  from: number,
): number {
  memory[from] = VERSION;
  memory[from + 1] = deltas === undefined ? 0 : SPARSE;
  memory.writeUInt16LE(0, from + 2);
  memory.writeUInt32LE(records.length, from + 4);
  let at = from + HEADER_BYTES;
  for (let index = 0; index < records.length; index++) {
    const { key, id, body } = records[index]!;
    const head = at;
    at += RECORD_BYTES;
    if (deltas !== undefined) at = memory.writeUInt32LE(deltas[index]!, at);
    const keyBytes = memory.write(key, at);
    const idBytes = memory.write(id, at + keyBytes);
    memory.writeUInt16LE(keyBytes, head);
    memory.writeUInt16LE(idBytes, head + 2);
    memory.writeUInt32LE(body.byteLength, head + 4);
    at += keyBytes + idBytes;
    memory.set(body, at);
    at += body.byteLength;
  }
  return at;
}

/**
 * Decodes a frame; the bodies are views into `frame`. @throws Error when the bytes are not a frame of this version
 */
export function decodeFrame(frame: ArrayBuffer, partition: number, first: number): StoredRecord[] {
  const bytes = Buffer.from(frame);
  if (bytes[0] !== VERSION) throw new Error(`a row of the log has the unknown format ${String(bytes[0])}`);
  const sparse = bytes[1] === SPARSE;
  const count = bytes.readUInt32LE(4);
  const records = new Array<StoredRecord>(count);
  let at = HEADER_BYTES;
  for (let index = 0; index < count; index++) {
    const keyBytes = bytes.readUInt16LE(at);
    const idBytes = bytes.readUInt16LE(at + 2);
    const bodyBytes = bytes.readUInt32LE(at + 4);
    at += RECORD_BYTES;
    const offset = first + (sparse ? bytes.readUInt32LE(at) : index);
    if (sparse) at += DELTA_BYTES;
    const key = bytes.toString('utf8', at, at + keyBytes);
    const id = bytes.toString('utf8', at + keyBytes, at + keyBytes + idBytes);
    at += keyBytes + idBytes;
    records[index] = { key, id, body: new Uint8Array(frame, at, bodyBytes), partition, offset };
    at += bodyBytes;
  }
  if (at !== bytes.length) throw new Error('a row of the log has another length than its records');
  return records;
}
