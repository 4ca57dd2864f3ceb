/**
 * A *plain* report is a line of JSON in the one spelling that agents send: no blanks, no escapes, the members
 *
 *     fileId? sequence timestamp change versions[{length hash}…] reread? configVersion? instanceId?
 *
 * in this order, numbers in digits, and nothing else. Its bytes can be restored from its values, so a record stores a plain
 * report packed in a quarter of its bytes, and `reportHash` still covers the bytes as received. One pass over the bytes
 * checks and packs: nearly all reports are plain, and parsing JSON, checking a schema and looking for repeated names cost
 * several times as much. A report in any other form is not plain and is stored as received.
 */
import { asciiText } from '#text';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { utf8 } from '../bytes/bytes.ts';
import { namesOf, RecordFormatError, type CompactReader } from '../bytes/compact-reader.ts';
import type { Change } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { isRealTime } from '../real-time.ts';
import type { Report } from '../schemas/report.ts';

/** Never renumbered: records are kept for ever. */
const CHANGE_CODE = {
  FIRST: 0,
  UNCHANGED: 1,
  APPENDED: 2,
  REPLACED: 3,
  TRUNCATED: 4,
  ROLLED: 5,
  ARCHIVE_CHANGED: 6,
  MISSING: 7,
  ERROR: 8,
} as const satisfies Record<Change, number>;
const CHANGE_NAMES = namesOf<Change>(CHANGE_CODE);

const FLAG = { namesFile: 1, hasReread: 2, reread: 4, hasVersion: 8, hasInstance: 16 } as const;
const ALL_FLAGS = 31;

const HASH_BYTES = 32;
const UUID_LENGTH = 36;
const TIMESTAMP_LENGTH = 24;
const DATE_LENGTH = 10;
/** Longest `IdSchema`. */
const INSTANCE_LENGTH = 64;
/** Digits of 2^53 − 1. */
const NUMBER_DIGITS = 16;
const [QUOTE, COMMA, DASH, BRACE_END, BRACKET_END] = [0x22, 0x2c, 0x2d, 0x7d, 0x5d] as const;
const [DIGIT_0, DIGIT_9] = [0x30, 0x39] as const;

const TEXTS = {
  brace: utf8('{'),
  fileId: utf8('"fileId":"'),
  sequence: utf8('"sequence":'),
  timestamp: utf8(',"timestamp":"'),
  change: utf8('","change":"'),
  versions: utf8('","versions":['),
  length: utf8('{"length":'),
  hash: utf8(',"hash":"'),
  hashEnd: utf8('"}'),
  reread: utf8(',"reread":'),
  configVersion: utf8(',"configVersion":'),
  instanceId: utf8(',"instanceId":"'),
  comma: utf8('",'),
  true: utf8('true'),
  false: utf8('false'),
};
const CHANGES = CHANGE_NAMES.map((name) => utf8(name!));

/** Values of the hex digits by their code; 0x100 for other bytes. */
const NIBBLES = new Uint16Array(256).fill(0x100);
for (let digit = 0; digit < 16; digit++) NIBBLES[digit.toString(16).charCodeAt(0)] = digit;
/** 1 for each character allowed in an id (`IdSchema`). */
const ID_CODES = new Uint8Array(256);
for (const code of utf8('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-'))
  ID_CODES[code] = 1;

/** A plain report. It fits `BulkLineSchema`, or `ReportSchema` when it names no file. */
export interface PlainReport {
  readonly fileId: string | undefined;
  readonly sequence: number;
  /** The report without the id of its file; valid until the next call. */
  readonly packed: Uint8Array;
}

/**
 * Returns the plain report in the bytes from `start` to `end`; undefined when it is not plain, which says nothing about
 * its validity. A property test checks that the schema and the other checks of ingestion accept every plain report.
 */
export function readPlainReport(bytes: Uint8Array, start: number, end: number): PlainReport | undefined {
  return scanner.scan(bytes, start, end);
}

/** Reads reports one after the other into one buffer. */
class PlainScanner {
  readonly #out = new ByteWriter(1_024);
  readonly #hash = new Uint8Array(HASH_BYTES);
  /** The last date that was read, and its first millisecond. */
  readonly #date = utf8('1970-01-01');
  #day = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;

  scan(bytes: Uint8Array, start: number, end: number): PlainReport | undefined {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    if (!this.#takes(TEXTS.brace)) return undefined;
    const namesFile = this.#takes(TEXTS.fileId);
    const fileId = namesFile ? this.#uuid() : undefined;
    if (namesFile && (fileId === undefined || !this.#takes(TEXTS.comma))) return undefined;
    const sequence = this.#takes(TEXTS.sequence) ? this.#number() : -1;
    const time = this.#takes(TEXTS.timestamp) ? this.#time() : -1;
    const change = this.#takes(TEXTS.change) ? this.#change() : -1;
    if (sequence < 0 || time < 0 || change < 0) return undefined;
    const out = this.#out.reset().u8(0).u8(change).varUint(sequence).varUint(time);
    if (!this.#takes(TEXTS.versions) || !this.#versions()) return undefined;
    const flags = this.#rest();
    if (flags < 0 || this.#bytes[this.#at] !== BRACE_END || this.#at + 1 !== end) return undefined;
    const packed = out.view();
    packed[0] = flags | (namesFile ? FLAG.namesFile : 0);
    return { fileId, sequence, packed };
  }

  /** Skips `text` if it comes next, and returns true. */
  #takes(text: Uint8Array): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    const { length } = text;
    if (at + length > this.#end) return false;
    for (let i = 0; i < length; i++) if (bytes[at + i] !== text[i]) return false;
    this.#at = at + length;
    return true;
  }

  /** Reads a number; −1 unless it is an integer from 0 to 2^53 − 1 without leading zeros. */
  #number(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    const end = this.#end;
    let value = 0;
    let at = start;
    for (; at < end; at++) {
      const code = bytes[at]!;
      if (code < DIGIT_0 || code > DIGIT_9) break;
      value = value * 10 + (code - DIGIT_0);
    }
    const digits = at - start;
    if (digits === 0 || digits > NUMBER_DIGITS || !Number.isSafeInteger(value)) return -1;
    if (digits > 1 && bytes[start] === DIGIT_0) return -1;
    this.#at = at;
    return value;
  }

  #uuid(): string | undefined {
    const at = this.#at;
    if (at + UUID_LENGTH > this.#end) return undefined;
    for (let i = 0; i < UUID_LENGTH; i++) {
      const code = this.#bytes[at + i]!;
      if (i === 8 || i === 13 || i === 18 || i === 23 ? code !== DASH : NIBBLES[code]! > 15) return undefined;
    }
    this.#at = at + UUID_LENGTH;
    return asciiText(this.#bytes, at, this.#at);
  }

  /** Reads a time in milliseconds since 1970; −1 when invalid. */
  #time(): number {
    const bytes = this.#bytes;
    const at = this.#at;
    if (at + TIMESTAMP_LENGTH > this.#end) return -1;
    for (let i = 0; i < TIMESTAMP_LENGTH; i++) {
      const code = bytes[at + i]!;
      const sign = TIME_SIGNS[i]!;
      if (sign === 0 ? code < DIGIT_0 || code > DIGIT_9 : code !== sign) return -1;
    }
    this.#at = at + TIMESTAMP_LENGTH;
    const day = this.#dayAt(at);
    const hours = twoDigitsAt(bytes, at + 11);
    const minutes = twoDigitsAt(bytes, at + 14);
    const seconds = twoDigitsAt(bytes, at + 17);
    if (day < 0 || hours > 23 || minutes > 59 || seconds > 59) return -1;
    const millis = 10 * twoDigitsAt(bytes, at + 20) + bytes[at + 22]! - DIGIT_0;
    return day + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + millis;
  }

  /** Returns the first millisecond of the date at `at`; −1 when there is no such date. */
  #dayAt(at: number): number {
    const bytes = this.#bytes;
    // Reports come in the order of their times: nearly all are of the day of the one before.
    const date = this.#date;
    let same = 0;
    while (same < DATE_LENGTH && bytes[at + same] === date[same]) same++;
    if (same === DATE_LENGTH) return this.#day;
    if (!isRealTime(`${asciiText(bytes, at, at + DATE_LENGTH)}T00:00:00.000Z`)) return -1;
    for (let i = 0; i < DATE_LENGTH; i++) date[i] = bytes[at + i]!;
    const year = 100 * twoDigitsAt(bytes, at) + twoDigitsAt(bytes, at + 2);
    return (this.#day = Date.UTC(year, twoDigitsAt(bytes, at + 5) - 1, twoDigitsAt(bytes, at + 8)));
  }

  #change(): number {
    for (let code = 0; code < CHANGES.length; code++) {
      const name = CHANGES[code]!;
      if (this.#bytes[this.#at + name.length] === QUOTE && this.#takes(name)) return code;
    }
    return -1;
  }

  /** Writes each version as its length + 1 and its hash; 0 ends the list. */
  #versions(): boolean {
    for (let count = 0; count <= LIMITS.versionsPerReport; count++) {
      if (this.#bytes[this.#at] === BRACKET_END) {
        this.#at++;
        this.#out.varUint(0);
        return true;
      }
      if (count > 0 && this.#bytes[this.#at++] !== COMMA) return false;
      if (!this.#takes(TEXTS.length)) return false;
      const length = this.#number();
      if (length < 0 || length === Number.MAX_SAFE_INTEGER) return false;
      if (!this.#takes(TEXTS.hash) || !this.#takesHash() || !this.#takes(TEXTS.hashEnd)) return false;
      this.#out.varUint(length + 1).raw(this.#hash);
    }
    return false;
  }

  #takesHash(): boolean {
    const bytes = this.#bytes;
    const hash = this.#hash;
    const at = this.#at;
    if (at + 2 * HASH_BYTES > this.#end) return false;
    // Checked once at the end: a branch per digit would double the cost.
    let seen = 0;
    for (let i = 0; i < HASH_BYTES; i++) {
      const byte = (NIBBLES[bytes[at + 2 * i]!]! << 4) | NIBBLES[bytes[at + 2 * i + 1]!]!;
      seen |= byte;
      hash[i] = byte;
    }
    this.#at = at + 2 * HASH_BYTES;
    return seen <= 0xff;
  }

  /** Writes the optional members and returns their flags; −1 when they are not plain. */
  #rest(): number {
    let flags = 0;
    if (this.#takes(TEXTS.reread)) {
      flags |= FLAG.hasReread;
      if (this.#takes(TEXTS.true)) flags |= FLAG.reread;
      else if (!this.#takes(TEXTS.false)) return -1;
    }
    if (this.#takes(TEXTS.configVersion)) {
      const version = this.#number();
      if (version < 0) return -1;
      this.#out.varUint(version);
      flags |= FLAG.hasVersion;
    }
    if (!this.#takes(TEXTS.instanceId)) return flags;
    return this.#instance() ? flags | FLAG.hasInstance : -1;
  }

  #instance(): boolean {
    const at = this.#at;
    let to = at;
    while (to < this.#end && ID_CODES[this.#bytes[to]!] === 1) to++;
    if (to === at || to - at > INSTANCE_LENGTH || this.#bytes[to] !== QUOTE) return false;
    this.#out.varUint(to - at).raw(this.#bytes.subarray(at, to));
    this.#at = to + 1;
    return true;
  }
}

const scanner = new PlainScanner();

/** Returns the number that two digits at `at` make. */
function twoDigitsAt(bytes: Uint8Array, at: number): number {
  return 10 * bytes[at]! + bytes[at + 1]! - 11 * DIGIT_0;
}

/** Separators of a timestamp at their places; 0 for a digit. */
const TIME_SIGNS = utf8('0000-00-00T00:00:00.000Z').map((code) => (code === DIGIT_0 ? 0 : code));

/** An unpacked report, and its text as received, all ASCII. */
export interface UnpackedReport {
  readonly report: Report;
  readonly text: string;
}

/**
 * Unpacks the bytes of `PlainReport.packed` from the reader's position to its end.
 * @param fileId the file that the report is about
 * @throws RecordFormatError
 */
export function unpackReport(reader: CompactReader, fileId: string): UnpackedReport {
  const flags = reader.u8();
  if (flags > ALL_FLAGS) throw new RecordFormatError('has a report with unknown members');
  const change = reader.oneOf(CHANGE_NAMES);
  const sequence = reader.varUint();
  const timestamp = timestampOf(reader.varUint());
  const versions = versionsOf(reader);
  const report: Report = { sequence, timestamp, change, versions };
  const file = (flags & FLAG.namesFile) === 0 ? '' : `"fileId":"${fileId}",`;
  let text = `{${file}"sequence":${sequence},"timestamp":"${timestamp}","change":"${change}","versions":[`;
  for (let i = 0; i < versions.length; i++)
    text += `${i === 0 ? '' : ','}{"length":${versions[i]!.length},"hash":"${versions[i]!.hash}"}`;
  text += ']';
  if ((flags & FLAG.hasReread) !== 0) {
    report.reread = (flags & FLAG.reread) !== 0;
    text += `,"reread":${report.reread}`;
  }
  if ((flags & FLAG.hasVersion) !== 0) {
    report.configVersion = reader.varUint();
    text += `,"configVersion":${report.configVersion}`;
  }
  if ((flags & FLAG.hasInstance) !== 0) {
    report.instanceId = reader.text();
    text += `,"instanceId":"${report.instanceId}"`;
  }
  reader.end();
  return { report, text: `${text}}` };
}

const MAX_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const DAY_MS = 86_400_000;
/** Last timestamp, reused for reports of the same day: `toISOString` costs as much as all other work on a report. */
const stamp = utf8('1970-01-01T00:00:00.000Z');
let stampDay = 0;

function timestampOf(timeMs: number): string {
  if (timeMs > MAX_TIME_MS) throw new RecordFormatError('has a report of no time');
  const day = Math.floor(timeMs / DAY_MS);
  if (day !== stampDay) stamp.set(utf8(new Date(timeMs).toISOString()));
  stampDay = day;
  const ofDay = timeMs - day * DAY_MS;
  const seconds = (ofDay / 1_000) | 0;
  const minutes = (seconds / 60) | 0;
  twoDigits((minutes / 60) | 0, 11);
  twoDigits(minutes % 60, 14);
  twoDigits(seconds % 60, 17);
  const millis = ofDay % 1_000;
  stamp[20] = DIGIT_0 + ((millis / 100) | 0);
  twoDigits(millis % 100, 21);
  return asciiText(stamp, 0, TIMESTAMP_LENGTH);
}

function twoDigits(value: number, at: number): void {
  stamp[at] = DIGIT_0 + ((value / 10) | 0);
  stamp[at + 1] = DIGIT_0 + (value % 10);
}

function versionsOf(reader: CompactReader): Report['versions'] {
  const versions: Report['versions'] = [];
  for (let length = reader.varUint(); length > 0; length = reader.varUint()) {
    versions.push({ length: length - 1, hash: reader.hex(HASH_BYTES) });
  }
  return versions;
}
