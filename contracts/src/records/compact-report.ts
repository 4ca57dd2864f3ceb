/**
 * The compact body of a report on `sentinel.file-events.v1`; `docs/formats.md` specifies it. The other records of the
 * topic, which are few, stay JSON, and so do the reports of earlier versions of the software.
 */
import { ByteWriter } from '../bytes/byte-writer.ts';
import { CATEGORY_CODE, FREQUENCY_CODE, POLICY_FLAG } from '../codes.ts';
import { CompactReader, namesOf, RecordFormatError, RepeatedUuid } from '../bytes/compact-reader.ts';
import type { Category, Frequency } from '../enums.ts';
import { NONCE_BYTES, type Policy } from '../hashes.ts';
import { writeTime48 } from '../uuid.ts';
import type { ReportHeader } from './file-event.ts';
import { unpackReport, type UnpackedReport } from './plain-report.ts';

/** First byte of a compact body of this version. JSON begins with `{` instead. */
export const COMPACT_VERSION = 1;
const KIND_REPORT = 0;
/** Form of the report after the header. */
const AS_RECEIVED = 0;
const PACKED = 1;

const TIME_BYTES = 6;
/** Bytes of time and nonce between the two parts of a header. */
const STAMP_BYTES = TIME_BYTES + NONCE_BYTES;
const CATEGORY_NAMES = namesOf<Category>(CATEGORY_CODE);
const FREQUENCY_NAMES = namesOf<Frequency>(FREQUENCY_CODE);
const ALL_POLICY_FLAGS = 15;

/** Returns the header up to `acceptedAt`, which all reports of a device share. */
export function reportStart({
  rules,
  orgId,
  deviceId,
}: Pick<ReportHeader, 'rules' | 'orgId' | 'deviceId'>): Uint8Array {
  return new ByteWriter(64)
    .u8(COMPACT_VERSION)
    .u8(KIND_REPORT)
    .varUint(rules)
    .uuid(orgId)
    .uuid(deviceId)
    .copy();
}

/** Returns the header after `nonce`, which all reports of a file share. */
export function reportEnd(fileId: string, policy: Policy): Uint8Array {
  const flags =
    (policy.modifiable ? POLICY_FLAG.modifiable : 0) |
    (policy.rolled ? POLICY_FLAG.rolled : 0) |
    (policy.enabled ? POLICY_FLAG.enabled : 0) |
    (policy.watchAttributes ? POLICY_FLAG.watchAttributes : 0);
  return new ByteWriter(128)
    .uuid(fileId)
    .varUint(policy.configVersion)
    .u8(flags)
    .u8(FREQUENCY_CODE[policy.monitoringFrequency])
    .u8(CATEGORY_CODE[policy.category])
    .text(policy.path)
    .text(policy.rolledFilenameRegexp)
    .copy();
}

export interface ReportParts {
  readonly start: Uint8Array;
  readonly acceptedAt: number;
  /** 16 bytes. */
  readonly nonce: Uint8Array;
  readonly end: Uint8Array;
  /** The report packed (`PlainReport.packed`), or its bytes as received. */
  readonly report: Uint8Array;
  readonly isPacked: boolean;
}

/** Returns the length of the body that `writeReport` writes. */
export function reportBytes({ start, end, report }: ReportParts): number {
  return start.length + STAMP_BYTES + end.length + 1 + report.length;
}

/** Fills `body`, which has `reportBytes` bytes. */
export function writeReport(
  { start, acceptedAt, nonce, end, report, isPacked }: ReportParts,
  body: Uint8Array,
): void {
  body.set(start);
  let at = start.length;
  writeTime48(acceptedAt, body, at);
  body.set(nonce, at + TIME_BYTES);
  at += STAMP_BYTES;
  body.set(end, at);
  at += end.length;
  body[at] = isPacked ? PACKED : AS_RECEIVED;
  body.set(report, at + 1);
}

/** Returns false for JSON. @throws RecordFormatError for a compact body of another version, and for an empty body */
export function isCompact(body: Uint8Array): boolean {
  const first = body[0];
  if (first === COMPACT_VERSION) return true;
  if (first === undefined) throw new RecordFormatError('is empty');
  // Bytes below a tab never begin JSON; they are reserved for versions.
  if (first < 0x09)
    throw new RecordFormatError(`is of version ${first}, this program reads ${COMPACT_VERSION}`);
  return false;
}

export interface CompactReport {
  readonly header: ReportHeader;
  /** Absent when the report was not plain; then it is in `bytes`. */
  readonly unpacked?: UnpackedReport;
  /** The report as received; empty when it was plain. */
  readonly bytes: Uint8Array;
}

const organizations = new RepeatedUuid();
const devices = new RepeatedUuid();
const NO_BYTES = new Uint8Array(0);

/**
 * Reads a compact body of file-events.
 * @param checkRules called with the number of the rules before anything that depends on them is read
 * @throws RecordFormatError, and the errors of `checkRules`
 */
export function decodeCompactReport(body: Uint8Array, checkRules: (rules: number) => void): CompactReport {
  const reader = new CompactReader(body, 1);
  if (reader.u8() !== KIND_REPORT) throw new RecordFormatError('is of no known kind');
  const rules = reader.varUint();
  checkRules(rules);
  const orgId = reader.repeatedUuid(organizations);
  const deviceId = reader.repeatedUuid(devices);
  const acceptedAt = reader.time48();
  const nonce = reader.hex(NONCE_BYTES);
  const fileId = reader.uuid();
  const policy = policyOf(reader);
  const header: ReportHeader = {
    kind: 'report',
    v: 1,
    rules,
    orgId,
    deviceId,
    acceptedAt,
    nonce,
    fileId,
    policy,
  };
  const form = reader.u8();
  if (form === PACKED) return { header, unpacked: unpackReport(reader, fileId), bytes: NO_BYTES };
  if (form !== AS_RECEIVED) throw new RecordFormatError('has its report in no known form');
  return { header, bytes: body.subarray(reader.position) };
}

function policyOf(reader: CompactReader): ReportHeader['policy'] {
  const configVersion = reader.varUint();
  const flags = reader.u8();
  if (flags > ALL_POLICY_FLAGS) throw new RecordFormatError('has a policy with unknown flags');
  const is = (flag: number) => (flags & flag) !== 0;
  const policy: { -readonly [K in keyof Policy]: Policy[K] } = {
    configVersion,
    modifiable: is(POLICY_FLAG.modifiable),
    rolled: is(POLICY_FLAG.rolled),
    enabled: is(POLICY_FLAG.enabled),
    monitoringFrequency: reader.oneOf(FREQUENCY_NAMES),
    category: reader.oneOf(CATEGORY_NAMES),
    path: reader.text(),
    rolledFilenameRegexp: reader.text(),
  };
  if (is(POLICY_FLAG.watchAttributes)) policy.watchAttributes = true;
  return policy;
}
