import { readUuidInto, uuidText } from '@sentinel-node/contracts/uuid';
import type { LogRecord, StoredRecord } from '../../ports/event-log.ts';

/**
 * Bytes of one row of the log: u8 version, u8 flags, u16 zero, u32 count, then each record as
 *
 * - u8 flags, and with flag SPARSE of the row u32 offset above the row's first;
 * - key: 16 bytes with flag KEY_UUID, else a text;
 * - id: a text, with flag ID_AFTER_KEY what follows the key in it;
 * - body: its length, then its bytes.
 *
 * A text is the length of its UTF-8 bytes, then these. A length has seven bits a byte, the lowest first, with the
 * highest bit set in all but the last byte; other integers are little-endian. Rows of version 1 have, in place of all
 * this, u16 key bytes, u16 id bytes, u32 body bytes, with SPARSE u32 offset, then key, id and body.
 */
const VERSION = 2;
const SPARSE = 1;
const KEY_UUID = 1;
const ID_AFTER_KEY = 2;
export const HEADER_BYTES = 8;
const UUID_BYTES = 16;
const DELTA_BYTES = 4;
/** Longest key and id, in UTF-8 bytes. */
export const NAME_BYTES = 65_535;
/** Flags, and the lengths of two names and a body of at most 4 MiB. */
const RECORD_BYTES = 1 + 3 + 3 + 4;
const MAX_ASCII = 0x7f;
const LOW_BITS = 0x7f;
const MORE = 0x80;

/** Returns an upper bound of a record's bytes in a frame. */
export function framedBytes({ key, id, body }: LogRecord): number {
  return RECORD_BYTES + Buffer.byteLength(key) + Buffer.byteLength(id) + body.byteLength;
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
    const idFollows = id.startsWith(key);
    const flagsAt = at++;
    if (deltas !== undefined) at = memory.writeUInt32LE(deltas[index]!, at);
    const keyIsUuid = readUuidInto(key, memory, at);
    memory[flagsAt] = (keyIsUuid ? KEY_UUID : 0) | (idFollows ? ID_AFTER_KEY : 0);
    at = keyIsUuid ? at + UUID_BYTES : writeText(key, 0, memory, at);
    at = writeText(id, idFollows ? key.length : 0, memory, at);
    at = writeLength(body.byteLength, memory, at);
    memory.set(body, at);
    at += body.byteLength;
  }
  return at;
}

/** Writes what follows the first `from` characters of `text`. */
function writeText(text: string, from: number, memory: Buffer, at: number): number {
  // Names are short and nearly all ASCII: calls out of JavaScript would cost more than this loop.
  const length = text.length - from;
  const start = writeLength(length, memory, at);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(from + i);
    if (unit > MAX_ASCII) return writeBeyondAscii(text.slice(from), memory, at);
    memory[start + i] = unit;
  }
  return start + length;
}

function writeBeyondAscii(text: string, memory: Buffer, at: number): number {
  const start = writeLength(Buffer.byteLength(text), memory, at);
  return start + memory.write(text, start);
}

function writeLength(length: number, memory: Buffer, from: number): number {
  let rest = length;
  let at = from;
  while (rest > LOW_BITS) {
    memory[at++] = (rest & LOW_BITS) | MORE;
    rest >>>= 7;
  }
  memory[at++] = rest;
  return at;
}

/**
 * Decodes a frame; the bodies are views into `frame`. @throws Error when the bytes are not a frame of a version that
 * this program reads
 */
export function decodeFrame(frame: ArrayBuffer, partition: number, first: number): StoredRecord[] {
  const bytes = Buffer.from(frame);
  if (bytes[0] === 1) return decodeVersion1(bytes, partition, first);
  if (bytes[0] !== VERSION) throw new Error(`a row of the log has the unknown format ${String(bytes[0])}`);
  const reader = new FrameReader(bytes);
  const isSparse = bytes[1] === SPARSE;
  const records = new Array<StoredRecord>(bytes.readUInt32LE(4));
  for (let index = 0; index < records.length; index++) {
    const flags = reader.byte();
    const offset = first + (isSparse ? reader.delta() : index);
    const key = (flags & KEY_UUID) === 0 ? reader.text() : reader.uuid();
    const rest = reader.text();
    const id = (flags & ID_AFTER_KEY) === 0 ? rest : key + rest;
    records[index] = { key, id, body: reader.body(), partition, offset };
  }
  checkEnd(reader.at, bytes);
  return records;
}

class FrameReader {
  at = HEADER_BYTES;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new RangeError('a row of the log is cut short');
    return byte;
  }

  delta(): number {
    return this.#bytes.readUInt32LE(this.#skip(DELTA_BYTES));
  }

  uuid(): string {
    return uuidText(this.#bytes, this.#skip(UUID_BYTES));
  }

  text(): string {
    const bytes = this.#length();
    const start = this.#skip(bytes);
    return this.#bytes.toString('utf8', start, start + bytes);
  }

  body(): Uint8Array {
    const bytes = this.#length();
    const { buffer, byteOffset } = this.#bytes;
    return new Uint8Array(buffer, byteOffset + this.#skip(bytes), bytes);
  }

  #length(): number {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      length += (byte & LOW_BITS) * 2 ** shift;
      if (byte < MORE) return length;
    }
  }

  /** Returns the position before the bytes that are skipped. */
  #skip(bytes: number): number {
    const start = this.at;
    if (start + bytes > this.#bytes.length) throw new RangeError('a row of the log is cut short');
    this.at = start + bytes;
    return start;
  }
}

const VERSION_1_RECORD_BYTES = 8;

function decodeVersion1(bytes: Buffer, partition: number, first: number): StoredRecord[] {
  const isSparse = bytes[1] === SPARSE;
  const records = new Array<StoredRecord>(bytes.readUInt32LE(4));
  let at = HEADER_BYTES;
  for (let index = 0; index < records.length; index++) {
    const keyBytes = bytes.readUInt16LE(at);
    const idBytes = bytes.readUInt16LE(at + 2);
    const bodyBytes = bytes.readUInt32LE(at + 4);
    at += VERSION_1_RECORD_BYTES;
    const offset = first + (isSparse ? bytes.readUInt32LE(at) : index);
    if (isSparse) at += DELTA_BYTES;
    const key = bytes.toString('utf8', at, at + keyBytes);
    const id = bytes.toString('utf8', at + keyBytes, at + keyBytes + idBytes);
    at += keyBytes + idBytes;
    const body = new Uint8Array(bytes.buffer, bytes.byteOffset + at, bodyBytes);
    records[index] = { key, id, body, partition, offset };
    at += bodyBytes;
  }
  checkEnd(at, bytes);
  return records;
}

function checkEnd(at: number, bytes: Buffer): void {
  if (at !== bytes.length) throw new Error('a row of the log has another length than its records');
}
