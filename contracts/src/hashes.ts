import { sha256, sha256Hex } from '#sha256';
import { ByteWriter, type Bytes16, type Bytes32 } from './bytes/byte-writer.ts';
import { utf8 } from './bytes/bytes.ts';
import {
  ALERT_CODE,
  CATEGORY_CODE,
  ENTRY_KIND,
  FREQUENCY_CODE,
  POLICY_FLAG,
  SUBJECT_TYPE,
  type EntryKind,
  type SubjectType,
} from './codes.ts';
import type { AlertType, Category, Frequency } from './enums.ts';
import { hmacSha256, hmacSha256Hex } from './bytes/hmac.ts';

/** Settings under which a report was accepted; every record contains them. */
export interface Policy {
  /** Version of the device's stream after the last change of a policy field. */
  readonly configVersion: number;
  readonly modifiable: boolean;
  readonly rolled: boolean;
  readonly enabled: boolean;
  readonly monitoringFrequency: Frequency;
  readonly category: Category;
  readonly path: string;
  /** RE2 syntax, matches a whole base name; empty when not rolled. */
  readonly rolledFilenameRegexp: string;
  /** Present when the attributes of an unmodifiable file are watched too. */
  readonly watchAttributes?: true;
}

/** Fields that the body hash of an entry covers. Hashes are 64 lower-case hex digits, times are milliseconds since 1970. */
export interface EntryBody {
  readonly kind: EntryKind;
  /** Present exactly when `kind` is BREAK. */
  readonly alertType?: AlertType;
  /** 16 bytes: `entryNonce` of the record and `versionIndex`. */
  readonly nonce: Uint8Array;
  readonly acceptedAt: number;
  readonly reportedAt?: number;
  readonly sequence?: number;
  /** Ordinal of the entry, from 0, among the entries of its record. */
  readonly versionIndex: number;
  readonly contentHash?: string;
  /** Bytes. */
  readonly length?: number;
  /** SHA-256 of the report's bytes as received. */
  readonly reportHash?: string;
  /** Hash of the policy in force after the entry. */
  readonly policyHash: string;
  /** Number of the BREAK that a DISMISSED or RESET handles. */
  readonly causeNumber?: number;
  /** User id of the person, in entries that a person caused. */
  readonly actor?: string;
  readonly noteHash?: string;
  /** Device id in a FILE's GENESIS; the child in CHILD_ entries. */
  readonly child?: string;
}

/** An `EntryBody`, or an object with its fields and the nonce in hex, such as a published entry. */
export type EntryBodyFields = Omit<EntryBody, 'nonce'> & { readonly nonce: Bytes16 };

export interface LinkInput {
  readonly logId: Bytes32;
  readonly subjectType: SubjectType;
  /** UUID of the organisation, device or file. */
  readonly subject: string;
  readonly number: number;
  /** Link hash of `number` − 1; absent (or zeros) at number 0. */
  readonly previous?: Bytes32;
  readonly bodyHash: Bytes32;
}

/** 32 zero bytes in place of a missing earlier hash. Shared: never write to it. */
export const ZERO_HASH = new Uint8Array(32);
/** SHA-256 of the empty string: the content hash of an empty file. */
export const EMPTY_CONTENT_HASH = sha256Hex('');
/** Of a record and of an entry. */
export const NONCE_BYTES = 16;

const BODY_DOMAIN = utf8('sentinel/body/v1\0');
const POLICY_DOMAIN = utf8('sentinel/policy/v1\0');
const NOTE_DOMAIN = utf8('sentinel/note/v1\0');
const LINK_DOMAIN = utf8('sentinel/link/v1\0');

/** Longest body: every optional part present and an alert type. */
const BODY_MAX_BYTES = 248;
const LINK_BYTES = 138;
const POLICY_TYPICAL_BYTES = 512;

// Hashing is synchronous, so one buffer a format serves all calls.
const bodyWriter = new ByteWriter(BODY_MAX_BYTES);
const linkWriter = new ByteWriter(LINK_BYTES);
const nonceWriter = new ByteWriter(NONCE_BYTES);
const indexWriter = new ByteWriter(4);

/** Returns the hash of a policy, hex, for `EntryBody.policyHash`. */
export function policyHash(policy: Policy): string {
  return sha256Hex(encodePolicy(policy));
}

/** Returns the bytes that `policyHash` hashes. @throws RangeError when a number is not a u64 */
export function encodePolicy(policy: Policy): Uint8Array {
  const flags =
    (policy.modifiable ? POLICY_FLAG.modifiable : 0) |
    (policy.rolled ? POLICY_FLAG.rolled : 0) |
    (policy.enabled ? POLICY_FLAG.enabled : 0) |
    (policy.watchAttributes ? POLICY_FLAG.watchAttributes : 0);
  return new ByteWriter(POLICY_TYPICAL_BYTES)
    .raw(POLICY_DOMAIN)
    .u64(policy.configVersion)
    .u8(flags)
    .u8(FREQUENCY_CODE[policy.monitoringFrequency])
    .u8(CATEGORY_CODE[policy.category])
    .str(policy.path)
    .str(policy.rolledFilenameRegexp)
    .view();
}

/** Returns the hash of a note, hex, for `EntryBody.noteHash`. */
export function noteHash(note: string): string {
  return sha256Hex(new ByteWriter(NOTE_DOMAIN.length + 4 + note.length).raw(NOTE_DOMAIN).str(note).view());
}

/**
 * Nonce of entry `index` of a record: the first 16 bytes of HMAC-SHA256(recordNonce, u32 index).
 * @throws RangeError when `recordNonce` is not 16 bytes
 */
export function entryNonce(recordNonce: Uint8Array, index: number): Uint8Array {
  if (recordNonce.length !== NONCE_BYTES) throw new RangeError('a record nonce has 16 bytes');
  return hmacSha256(recordNonce, indexWriter.reset().u32(index).view()).slice(0, NONCE_BYTES);
}

/** `entryNonce` with argument and result in hex, as in records. @throws RangeError when `recordNonce` is not 32 hex digits */
export function entryNonceHex(recordNonce: string, index: number): string {
  const key = nonceWriter.reset().bytes16(recordNonce).view();
  return hmacSha256Hex(key, indexWriter.reset().u32(index).view()).slice(0, 2 * NONCE_BYTES);
}

/** Returns the body hash, 32 bytes. @throws RangeError on a wrong size or an `alertType` that does not fit the kind */
export function bodyHash(body: EntryBodyFields): Uint8Array {
  return sha256(writeBody(bodyWriter.reset(), body).view());
}

/** Returns the bytes that `bodyHash` hashes. */
export function encodeBody(body: EntryBodyFields): Uint8Array {
  return writeBody(new ByteWriter(BODY_MAX_BYTES), body).view();
}

function writeBody(writer: ByteWriter, body: EntryBodyFields): ByteWriter {
  if ((body.kind === 'BREAK') !== (body.alertType !== undefined))
    throw new RangeError('BREAK, and only BREAK, has an alert type');
  writer.raw(BODY_DOMAIN).bytes16(body.nonce).u8(ENTRY_KIND[body.kind]);
  if (body.alertType !== undefined) writer.u8(ALERT_CODE[body.alertType]);
  return writer
    .u64(body.acceptedAt)
    .optU64(body.reportedAt)
    .optU64(body.sequence)
    .u32(body.versionIndex)
    .optBytes32(body.contentHash)
    .optU64(body.length)
    .optBytes32(body.reportHash)
    .bytes32(body.policyHash)
    .optU64(body.causeNumber)
    .optUuid(body.actor)
    .optBytes32(body.noteHash)
    .optUuid(body.child);
}

/** Returns the link hash, 32 bytes. @throws RangeError on a wrong size, or unless only number 0 lacks `previous` */
export function linkHash(input: LinkInput): Uint8Array {
  return sha256(writeLink(linkWriter.reset(), input).view());
}

/** Returns `linkHash` in hex, for `previous` of the next entry. */
export function linkHashHex(input: LinkInput): string {
  return sha256Hex(writeLink(linkWriter.reset(), input).view());
}

/** Returns the bytes that `linkHash` hashes. */
export function encodeLink(input: LinkInput): Uint8Array {
  return writeLink(new ByteWriter(LINK_BYTES), input).view();
}

function writeLink(writer: ByteWriter, input: LinkInput): ByteWriter {
  const previous = input.previous ?? ZERO_HASH;
  if ((input.number === 0) !== isZero(previous))
    throw new RangeError('number 0, and only it, has no previous link hash');
  return writer
    .raw(LINK_DOMAIN)
    .bytes32(input.logId)
    .u8(SUBJECT_TYPE[input.subjectType])
    .uuid(input.subject)
    .u64(input.number)
    .bytes32(previous)
    .bytes32(input.bodyHash);
}

function isZero(value: Bytes32): boolean {
  return typeof value === 'string' ? /^0*$/.test(value) : value.every((byte) => byte === 0);
}
