import { sha256Into } from '#sha256';
import { ByteWriter } from './bytes/byte-writer.ts';
import { utf8 } from './bytes/bytes.ts';
import { CROCKFORD, eventIdText } from './event-id-text.ts';
import { writeTime48 } from './uuid.ts';

const ID_DOMAIN = utf8('sentinel/id/v1\0');
const TIME_BYTES = 6;
const HASH_BYTES = 32;
const REPORT_CAUSE_BYTES = 28;
const ID_TYPICAL_BYTES = 128;
const ID_PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

// Hashing is synchronous, so one buffer of a kind serves all calls.
const idWriter = new ByteWriter(ID_TYPICAL_BYTES);
const reportCauseWriter = new ByteWriter(REPORT_CAUSE_BYTES);
/** The time and the whole digest; an id is the first 16 bytes. */
const idBytes = new Uint8Array(TIME_BYTES + HASH_BYTES);

/**
 * Returns the id of a link, an alert or an event: 26 characters of Crockford base 32 (upper case, most significant bit
 * first, two leading zero bits) over 48 bits of `timeMs` ‖ the first 80 bits of H("sentinel/id/v1\0" ‖ str kind ‖ cause).
 * Ids of later times sort later; the same cause gives the same id.
 * @param kind an entry kind, `ALERT`, or an event type
 * @param cause made by one of the cause builders below
 * @throws RangeError when `timeMs` does not fit 48 bits
 */
export function eventId(timeMs: number, kind: string, cause: Uint8Array): string {
  writeTime48(timeMs, idBytes);
  sha256Into(idWriter.reset().raw(ID_DOMAIN).str(kind).raw(cause).view(), idBytes, TIME_BYTES);
  return eventIdText(idBytes, 0);
}

/** Returns true when `text` is an id that `eventId` can make. */
export function isEventId(text: string): boolean {
  return ID_PATTERN.test(text);
}

/** Returns the milliseconds since 1970 in an id. @throws RangeError when `id` is not an event id */
export function eventIdTime(id: string): number {
  if (!isEventId(id)) throw new RangeError('not an event id');
  return [...id.slice(0, 10)].reduce((time, digit) => time * 32 + CROCKFORD.indexOf(digit), 0);
}

/** Cause of entry or event `index` (ordinal from 0) of a report: fileId 16 bytes ‖ sequence u64 ‖ index u32. */
export function reportCause(fileId: string, sequence: number, index: number): Uint8Array {
  return reportCauseWriter.reset().uuid(fileId).u64(sequence).u32(index).copy();
}

/** Cause of a person's command: str commandId. */
export function commandCause(commandId: string): Uint8Array {
  return new ByteWriter(4 + commandId.length).str(commandId).view();
}

/**
 * Cause of a registry event: str stream ‖ version u64 ‖ ordinal u32. `ordinal` counts the events of the commit from 0,
 * so that the events of one commit get distinct ids.
 */
export function registryCause(stream: string, version: number, ordinal: number): Uint8Array {
  return new ByteWriter(16 + stream.length).str(stream).u64(version).u32(ordinal).view();
}

/** Cause of a body that did not fit its schema: str of the id that ingestion gave the body. */
export function malformedCause(malformedId: string): Uint8Array {
  return new ByteWriter(4 + malformedId.length).str(malformedId).view();
}
