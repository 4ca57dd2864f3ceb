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
const UNKNOWN_FLAGS = 'a row of the log has flags that this version does not know';

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
  const reader = new FrameReader(Buffer.from(frame));
  const version = reader.byte();
  if (version !== 1 && version !== VERSION)
    throw new Error(`a row of the log has the unknown format ${version}`);
  const rowFlags = reader.byte();
  if (rowFlags > SPARSE || reader.uint16() !== 0) throw new Error(UNKNOWN_FLAGS);
  const count = reader.uint32();
  const nextOf = version === 1 ? recordOfVersion1 : recordOf;
  const records: StoredRecord[] = [];
  for (let index = 0; index < count; index++) {
    const { delta = index, key, id, body } = nextOf(reader, rowFlags === SPARSE);
    records.push({ key, id, body, partition, offset: first + delta });
  }
  if (!reader.isAtEnd) throw new Error('a row of the log has another length than its records');
  return records;
}

interface FramedRecord extends LogRecord {
  /** Offset above the row's first, of a sparse row. */
  readonly delta: number | undefined;
}

function recordOf(reader: FrameReader, isSparse: boolean): FramedRecord {
  const flags = reader.byte();
  if (flags > (KEY_UUID | ID_AFTER_KEY)) throw new Error(UNKNOWN_FLAGS);
  const delta = isSparse ? reader.uint32() : undefined;
  const key = (flags & KEY_UUID) === 0 ? reader.text(reader.length()) : reader.uuid();
  const rest = reader.text(reader.length());
  const id = (flags & ID_AFTER_KEY) === 0 ? rest : key + rest;
  return { delta, key, id, body: reader.bytes(reader.length()) };
}

function recordOfVersion1(reader: FrameReader, isSparse: boolean): FramedRecord {
  const [keyBytes, idBytes, bodyBytes] = [reader.uint16(), reader.uint16(), reader.uint32()];
  const delta = isSparse ? reader.uint32() : undefined;
  return { delta, key: reader.text(keyBytes), id: reader.text(idBytes), body: reader.bytes(bodyBytes) };
}

/** Reads the parts of a frame one after the other; each throws a RangeError where the frame ends before. */
class FrameReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#skip(1)]!;
  }

  uint16(): number {
    return this.#bytes.readUInt16LE(this.#skip(2));
  }

  uint32(): number {
    return this.#bytes.readUInt32LE(this.#skip(4));
  }

  uuid(): string {
    return uuidText(this.#bytes, this.#skip(UUID_BYTES));
  }

  text(bytes: number): string {
    const start = this.#skip(bytes);
    return this.#bytes.toString('utf8', start, start + bytes);
  }

  bytes(length: number): Uint8Array {
    const { buffer, byteOffset } = this.#bytes;
    return new Uint8Array(buffer, byteOffset + this.#skip(length), length);
  }

  length(): number {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      length += (byte & LOW_BITS) * 2 ** shift;
      if (byte < MORE) return length;
    }
  }

  /** Returns the position before the bytes that are skipped. */
  #skip(bytes: number): number {
    const start = this.#at;
    if (start + bytes > this.#bytes.length) throw new RangeError('a row of the log is cut short');
    this.#at = start + bytes;
    return start;
  }
}
