/** The compact body of a `ChainRecord` on `sentinel.chain.v1`; `docs/formats.md` specifies it. A `ParkingRecord` stays JSON. */
import { ByteWriter } from '../bytes/byte-writer.ts';
import { ALERT_CODE, CATEGORY_CODE, ENTRY_KIND, type EntryKind } from '../codes.ts';
import { CompactReader, namesOf, RecordFormatError, RepeatedUuid } from '../bytes/compact-reader.ts';
import type { AlertType, Category } from '../enums.ts';
import { NONCE_BYTES } from '../hashes.ts';
import type { ChainRecord, Entry, FileState } from './chain.ts';
import { COMPACT_VERSION, isCompact } from './compact-report.ts';
import type { ParkingRecord } from './dead-letters.ts';

/** Flags of a record: the parts that it has. */
const HAS = { fileId: 1, file: 2, texts: 4 } as const;
/** Flags of an entry: the optional members that it has, and its boolean members. */
const ENTRY = {
  alertType: 1,
  reportedAt: 2,
  sequence: 4,
  contentHash: 8,
  length: 16,
  reportHash: 32,
  causeNumber: 64,
  actor: 128,
  noteHash: 256,
  child: 512,
  alertId: 1_024,
  firstHash: 2_048,
  whileDisabled: 4_096,
} as const;
const ALL_ENTRY_BITS = 8_191;
/** Flags of the state of a file. `sameX`: the value is that of the record's last entry. */
const FILE = {
  length: 1,
  hash: 2,
  sameHash: 4,
  missing: 8,
  number: 16,
  linkHash: 32,
  sameLinkHash: 64,
  lastLinkId: 128,
  sameLinkId: 256,
  checkedAt: 512,
  contactAt: 1_024,
  attributesTold: 2_048,
} as const;
const ALL_FILE_BITS = 4_095;

const HASH_BYTES = 32;
const CATEGORY_NAMES = namesOf<Category>(CATEGORY_CODE);
const KIND_NAMES = namesOf<EntryKind>(ENTRY_KIND);
const ALERT_NAMES = namesOf<AlertType>(ALERT_CODE);

/** Members that are encoded as JSON: few records have them, and they contain free text. */
type Texts = Pick<ChainRecord, 'alerts' | 'events' | 'parking'>;

type Draft<T> = { -readonly [K in keyof T]: T[K] };

// Encoding is synchronous, so one writer of a kind serves all calls.
const writer = new ByteWriter(4_096);
const entryWriter = new ByteWriter(512);
const organizations = new RepeatedUuid();
const devices = new RepeatedUuid();

/**
 * Returns the compact body of a record that fits `ChainRecordSchema`; the bytes are valid until the next call.
 * `decodeChainRecord` restores a record with the same `JSON.stringify` text, if the members are in the verifier's order.
 * @throws RangeError when a value does not fit its schema
 */
export function encodeChainRecord(record: ChainRecord): Uint8Array {
  const { alerts, entries, events, file, fileId, parking } = record;
  const hasTexts = alerts.length > 0 || events.length > 0 || parking !== undefined;
  const flags =
    (fileId === null ? 0 : HAS.fileId) | (file === null ? 0 : HAS.file) | (hasTexts ? HAS.texts : 0);
  writer.reset().u8(COMPACT_VERSION).u8(flags).varUint(record.rules).uuid(record.orgId).uuid(record.deviceId);
  if (fileId !== null) writer.uuid(fileId);
  writer
    .u8(CATEGORY_CODE[record.category])
    .varUint(record.rev)
    .varUint(record.timestamp)
    .varUint(entries.length);
  for (const entry of entries) writeEntry(entry);
  if (file !== null) writeFile(file, entries.at(-1));
  if (hasTexts)
    writer.text(JSON.stringify({ alerts, events, parking } satisfies Record<keyof Texts, unknown>));
  return writer.view();
}

/** Writes the fields for anchoring first, then the length of the rest, which anchoring skips. */
function writeEntry(entry: Entry): void {
  writer.varUint(entry.number).varUint(entry.acceptedAt).bytes32(entry.linkHash);
  const rest = entryWriter.reset();
  rest.u8(ENTRY_KIND[entry.kind]).varUint(bitsOf(entry));
  writeId(rest, entry.id);
  rest.bytes16(entry.nonce).varUint(entry.versionIndex).bytes32(entry.policyHash);
  if (entry.alertType !== undefined) rest.u8(ALERT_CODE[entry.alertType]);
  if (entry.reportedAt !== undefined) rest.varUint(entry.reportedAt);
  if (entry.sequence !== undefined) rest.varUint(entry.sequence);
  if (entry.reportHash !== undefined) rest.bytes32(entry.reportHash);
  if (entry.child !== undefined) rest.uuid(entry.child);
  if (entry.contentHash !== undefined) rest.bytes32(entry.contentHash);
  if (entry.length !== undefined) rest.varUint(entry.length);
  if (entry.actor !== undefined) rest.uuid(entry.actor);
  if (entry.noteHash !== undefined) rest.bytes32(entry.noteHash);
  if (entry.causeNumber !== undefined) rest.varUint(entry.causeNumber);
  if (entry.alertId !== undefined) writeId(rest, entry.alertId);
  writer.varUint(rest.length).raw(rest.view());
}

function bitsOf(entry: Entry): number {
  return (
    (entry.alertType === undefined ? 0 : ENTRY.alertType) |
    (entry.reportedAt === undefined ? 0 : ENTRY.reportedAt) |
    (entry.sequence === undefined ? 0 : ENTRY.sequence) |
    (entry.contentHash === undefined ? 0 : ENTRY.contentHash) |
    (entry.length === undefined ? 0 : ENTRY.length) |
    (entry.reportHash === undefined ? 0 : ENTRY.reportHash) |
    (entry.causeNumber === undefined ? 0 : ENTRY.causeNumber) |
    (entry.actor === undefined ? 0 : ENTRY.actor) |
    (entry.noteHash === undefined ? 0 : ENTRY.noteHash) |
    (entry.child === undefined ? 0 : ENTRY.child) |
    (entry.alertId === undefined ? 0 : ENTRY.alertId) |
    (entry.firstHash ? ENTRY.firstHash : 0) |
    (entry.whileDisabled === undefined ? 0 : ENTRY.whileDisabled)
  );
}

/** Writes 0 and 16 bytes for an event id; for any other id its length and text. */
function writeId(to: ByteWriter, id: string): void {
  if (!to.varUint(0).eventId(id)) to.truncate(to.length - 1).text(id);
}

function readId(reader: CompactReader): string {
  const start = reader.position;
  if (reader.varUint() === 0) return reader.eventId();
  reader.seek(start);
  return reader.text();
}

function writeFile(file: FileState, last: Entry | undefined): void {
  const sameHash = file.hash !== null && file.hash === last?.contentHash;
  const sameLinkHash = file.linkHash !== null && file.linkHash === last?.linkHash;
  const sameLinkId = file.lastLinkId !== null && file.lastLinkId === last?.id;
  const bits =
    (file.length === null ? 0 : FILE.length) |
    (file.hash === null ? 0 : sameHash ? FILE.sameHash : FILE.hash) |
    (file.missing ? FILE.missing : 0) |
    (file.number === null ? 0 : FILE.number) |
    (file.linkHash === null ? 0 : sameLinkHash ? FILE.sameLinkHash : FILE.linkHash) |
    (file.lastLinkId === null ? 0 : sameLinkId ? FILE.sameLinkId : FILE.lastLinkId) |
    (file.checkedAt === null ? 0 : FILE.checkedAt) |
    (file.contactAt === null ? 0 : FILE.contactAt) |
    (file.attributesTold === undefined ? 0 : FILE.attributesTold);
  writer.varUint(bits).varUint(file.sequence).varUint(file.configVersion).varUint(file.activeAlerts);
  if (file.length !== null) writer.varUint(file.length);
  if (file.hash !== null && !sameHash) writer.bytes32(file.hash);
  if (file.number !== null) writer.varUint(file.number);
  if (file.linkHash !== null && !sameLinkHash) writer.bytes32(file.linkHash);
  if (file.lastLinkId !== null && !sameLinkId) writeId(writer, file.lastLinkId);
  if (file.checkedAt !== null) writer.varUint(file.checkedAt);
  if (file.contactAt !== null) writer.varUint(file.contactAt);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the body of a record of the chain topic in either encoding. Trusts the writer: neither JSON nor the `alerts`,
 * `events` and `parking` of a compact body are checked against the schema.
 * @throws SyntaxError, TypeError, RecordFormatError on foreign bytes
 */
export function decodeChainBody(body: Uint8Array): ChainRecord | ParkingRecord {
  if (isCompact(body)) return decodeChainRecord(body);
  const record: ChainRecord | ParkingRecord = JSON.parse(decoder.decode(body));
  return record;
}

/** Reads a compact body. The caller checks `alerts`, `events` and `parking`. @throws RecordFormatError */
export function decodeChainRecord(body: Uint8Array): ChainRecord {
  const reader = new CompactReader(body, 1);
  const { flags, rules, orgId, deviceId, fileId, category } = readStart(reader);
  const rev = reader.varUint();
  const timestamp = reader.varUint();
  const entries = readEntries(reader, readEntry);
  const file = (flags & HAS.file) === 0 ? null : readFile(reader, entries.at(-1));
  const { alerts, events, parking } = (flags & HAS.texts) === 0 ? NO_TEXTS : readTexts(reader.text());
  reader.end();
  const record: Draft<ChainRecord> = {
    v: 1,
    rules,
    orgId,
    deviceId,
    fileId,
    rev,
    timestamp,
    category,
    entries,
    alerts: [...alerts],
    events: [...events],
    file,
  };
  if (parking !== undefined) record.parking = parking;
  return record;
}

/** Returns true when a record has members that `decodeChainRecord` does not check. */
export function hasTexts({ alerts, events, parking }: Texts): boolean {
  return alerts.length > 0 || events.length > 0 || parking !== undefined;
}

/** Same as `hasTexts` for a compact body, without decoding it. */
export const hasTextsIn = (body: Uint8Array): boolean => ((body[1] ?? 0) & HAS.texts) !== 0;

const NO_TEXTS: Texts = { alerts: [], events: [] };

function readStart(reader: CompactReader) {
  const flags = reader.u8();
  if (flags > (HAS.fileId | HAS.file | HAS.texts)) throw new RecordFormatError('has unknown parts');
  const rules = reader.varUint();
  const orgId = reader.repeatedUuid(organizations);
  const deviceId = reader.repeatedUuid(devices);
  const fileId = (flags & HAS.fileId) === 0 ? null : reader.uuid();
  return { flags, rules, orgId, deviceId, fileId, category: reader.oneOf(CATEGORY_NAMES) };
}

function readEntries<T>(reader: CompactReader, read: (reader: CompactReader) => T): T[] {
  const entries: T[] = [];
  for (let count = reader.varUint(); count > 0; count--) entries.push(read(reader));
  return entries;
}

/** Adds the members in the order in which the verifier writes an entry. */
function readEntry(reader: CompactReader): Entry {
  const number = reader.varUint();
  const acceptedAt = reader.varUint();
  const linkHash = reader.hex(HASH_BYTES);
  const length = reader.varUint();
  const end = reader.position + length;
  const kind = reader.oneOf(KIND_NAMES);
  const bits = reader.varUint();
  if (bits > ALL_ENTRY_BITS) throw new RecordFormatError('has an entry with unknown members');
  const has = (bit: number) => (bits & bit) !== 0;
  const id = readId(reader);
  const nonce = reader.hex(NONCE_BYTES);
  const versionIndex = reader.varUint();
  const draft: Draft<Omit<Entry, 'nonce' | 'linkHash' | 'firstHash'>> = {
    id,
    number,
    kind,
    acceptedAt,
    versionIndex,
    policyHash: reader.hex(HASH_BYTES),
  };
  const alertType = has(ENTRY.alertType) ? reader.oneOf(ALERT_NAMES) : undefined;
  if (has(ENTRY.reportedAt)) draft.reportedAt = reader.varUint();
  if (has(ENTRY.sequence)) draft.sequence = reader.varUint();
  if (has(ENTRY.reportHash)) draft.reportHash = reader.hex(HASH_BYTES);
  if (alertType !== undefined) draft.alertType = alertType;
  if (has(ENTRY.child)) draft.child = reader.uuid();
  if (has(ENTRY.contentHash)) draft.contentHash = reader.hex(HASH_BYTES);
  if (has(ENTRY.length)) draft.length = reader.varUint();
  if (has(ENTRY.actor)) draft.actor = reader.uuid();
  if (has(ENTRY.noteHash)) draft.noteHash = reader.hex(HASH_BYTES);
  if (has(ENTRY.causeNumber)) draft.causeNumber = reader.varUint();
  const entry: Draft<Entry> = Object.assign(draft, { nonce, linkHash, firstHash: has(ENTRY.firstHash) });
  if (has(ENTRY.alertId)) entry.alertId = readId(reader);
  if (has(ENTRY.whileDisabled)) entry.whileDisabled = true;
  if (reader.position !== end) throw new RecordFormatError('has an entry of another length than it says');
  return entry;
}

function readFile(reader: CompactReader, last: Entry | undefined): FileState {
  const bits = reader.varUint();
  if (bits > ALL_FILE_BITS) throw new RecordFormatError('has a file state with unknown members');
  const has = (bit: number) => (bits & bit) !== 0;
  const ofLast = <T>(value: T | undefined): T => {
    if (value === undefined) throw new RecordFormatError('names a value of an entry that it has not');
    return value;
  };
  const sequence = reader.varUint();
  const configVersion = reader.varUint();
  const activeAlerts = reader.varUint();
  const length = has(FILE.length) ? reader.varUint() : null;
  const hash = has(FILE.hash)
    ? reader.hex(HASH_BYTES)
    : has(FILE.sameHash)
      ? ofLast(last?.contentHash)
      : null;
  const number = has(FILE.number) ? reader.varUint() : null;
  const linkHash = has(FILE.linkHash)
    ? reader.hex(HASH_BYTES)
    : has(FILE.sameLinkHash)
      ? ofLast(last?.linkHash)
      : null;
  const lastLinkId = has(FILE.lastLinkId) ? readId(reader) : has(FILE.sameLinkId) ? ofLast(last?.id) : null;
  const state: Draft<FileState> = {
    length,
    hash,
    missing: has(FILE.missing),
    sequence,
    configVersion,
    number,
    linkHash,
    lastLinkId,
    activeAlerts,
    checkedAt: has(FILE.checkedAt) ? reader.varUint() : null,
    contactAt: has(FILE.contactAt) ? reader.varUint() : null,
  };
  if (has(FILE.attributesTold)) state.attributesTold = true;
  return state;
}

/** Parses the members. The caller checks their form. @throws RecordFormatError unless they are JSON with both lists */
function readTexts(text: string): Texts {
  try {
    const texts: Texts = JSON.parse(text);
    if (Array.isArray(texts.alerts) && Array.isArray(texts.events)) return texts;
  } catch {
    // Reported below without the parser's message, which quotes the text.
  }
  throw new RecordFormatError('has alerts and events that are not JSON');
}

/** Parts of a record from which leaves of a batch are made. */
export interface ChainLeaves {
  readonly fileId: string | null;
  readonly category: Category;
  /** Link hashes are views of the body. */
  readonly entries: (Pick<Entry, 'number' | 'acceptedAt'> & { readonly linkHash: Uint8Array })[];
}

/** Reads the leaves of a compact body and skips the rest. @throws RecordFormatError */
export function decodeChainLeaves(body: Uint8Array): ChainLeaves {
  const reader = new CompactReader(body, 1);
  const { fileId, category } = readStart(reader);
  reader.varUint();
  reader.varUint();
  return { fileId, category, entries: readEntries(reader, readLeaf) };
}

function readLeaf(reader: CompactReader): ChainLeaves['entries'][number] {
  const number = reader.varUint();
  const acceptedAt = reader.varUint();
  const linkHash = reader.view(HASH_BYTES);
  reader.skip(reader.varUint());
  return { number, acceptedAt, linkHash };
}
