/**
 * Records of `sentinel.file-events.v1` (key: fileId; a device's own notices: deviceId). A report is a compact body
 * (`compact-report.ts`). Any other record is one line of JSON, the header; a report of an earlier version of the software
 * adds 0x0A and its bytes. Both restore a report exactly as received, so that `reportHash` can be computed from the
 * record. `ReplayHeader` (dead-letters.ts) wraps such a record once more.
 */
import { parseJsonBytes } from '../bytes/json-bytes.ts';
import { Type, type Static } from 'typebox';
import { CategorySchema, FrequencySchema, HandledStatusSchema } from '../enums.ts';
import {
  closed,
  CountSchema,
  IdSchema,
  MillisecondsSchema,
  NoteSchema,
  nullable,
  UuidSchema,
} from '../schemas/common.ts';
import { BulkLineSchema, ReportSchema } from '../schemas/report.ts';
import { decodeCompactReport, isCompact } from './compact-report.ts';
import { recorded } from './recorded.ts';

/**
 * The policy that a report is judged under, set when it is accepted (decision 5 of the specification). `enabled`: for
 * file and device.
 */
export const PolicySchema = closed({
  configVersion: CountSchema,
  modifiable: Type.Boolean(),
  rolled: Type.Boolean(),
  enabled: Type.Boolean(),
  monitoringFrequency: FrequencySchema,
  category: CategorySchema,
  path: Type.String(),
  /** Empty when not rolled. */
  rolledFilenameRegexp: Type.String(),
  /** Absent means false, as in records of earlier versions. */
  watchAttributes: Type.Optional(Type.Literal(true)),
});

const stamp = {
  v: Type.Literal(1),
  rules: CountSchema,
  orgId: UuidSchema,
  deviceId: UuidSchema,
  acceptedAt: MillisecondsSchema,
  nonce: Type.String({ pattern: '^[0-9a-f]{32}$', description: '16 random bytes' }),
};

/** Header of a report, whose bytes follow. */
export const ReportHeaderSchema = closed({
  kind: Type.Literal('report'),
  ...stamp,
  fileId: UuidSchema,
  policy: PolicySchema,
});
export type ReportHeader = Static<typeof ReportHeaderSchema>;

/** A person dismissed or reset an alert; `claimId` is the command's id and the cause of what follows from it. */
export const ClaimRecordSchema = closed({
  kind: Type.Literal('claim'),
  ...stamp,
  fileId: UuidSchema,
  claimId: IdSchema,
  alertId: IdSchema,
  status: HandledStatusSchema,
  note: recorded(NoteSchema),
  actor: UuidSchema,
  actorEmail: Type.String(),
  /**
   * Occurrences that the person knew of: by rules 3, the claim has no effect on an alert that has counted more. Absent in
   * claims of rules 1 and 2.
   */
  occurrences: Type.Optional(CountSchema),
});
export type ClaimRecord = Static<typeof ClaimRecordSchema>;

/** The policy of a file changed, or (`deleted`) the file is gone. `commandId` is stream and version of the commit. */
export const PolicyRecordSchema = closed({
  kind: Type.Literal('policy'),
  ...stamp,
  fileId: UuidSchema,
  commandId: Type.String(),
  policy: PolicySchema,
  deleted: Type.Boolean(),
  actor: nullable(UuidSchema),
  /** The change gave the file another path or frequency. Absent in records of rules 1 and 2. */
  rebaseline: Type.Optional(Type.Literal(true)),
});
export type PolicyRecord = Static<typeof PolicyRecordSchema>;

/** An observation of ingestion for the event list: a body that does not fit its schema, two agents of one device. */
export const NoticeRecordSchema = closed({
  kind: Type.Literal('notice'),
  ...stamp,
  fileId: nullable(UuidSchema),
  noticeId: IdSchema,
  type: Type.Enum(['MALFORMED_DATA', 'AGENT_ERROR']),
  code: Type.String(),
  message: Type.String(),
});
export type NoticeRecord = Static<typeof NoticeRecordSchema>;

/** The bytes of a report, and of a line of a bulk body, as they were once accepted. */
export const RecordedReportSchema = recorded(ReportSchema);
export const RecordedLineSchema = recorded(BulkLineSchema);

export const FileEventHeaderSchema = Type.Union([
  ReportHeaderSchema,
  ClaimRecordSchema,
  PolicyRecordSchema,
  NoticeRecordSchema,
]);
export type FileEventHeader = Static<typeof FileEventHeaderSchema>;

const NEWLINE = 0x0a;
const encoder = new TextEncoder();
/** Returns the body of a record. @param headerJson JSON.stringify of a header, without line breaks */
export function encodeFileEvent(headerJson: string, report?: Uint8Array): Uint8Array {
  const head = encoder.encode(headerJson);
  if (report === undefined) return head;
  const out = new Uint8Array(head.length + 1 + report.length);
  out.set(head);
  out[head.length] = NEWLINE;
  out.set(report, head.length + 1);
  return out;
}

/**
 * Splits a record of either encoding; `report` is empty unless the kind is `report`. The caller checks the header against
 * `FileEventHeaderSchema`. @throws SyntaxError, TypeError, RecordFormatError on foreign bytes
 */
export function decodeFileEvent(body: Uint8Array): { header: unknown; report: Uint8Array } {
  if (isCompact(body)) {
    const { header, unpacked, bytes } = decodeCompactReport(body, () => undefined);
    return { header, report: unpacked === undefined ? bytes : encoder.encode(unpacked.text) };
  }
  const end = body.indexOf(NEWLINE);
  const head = end === -1 ? body : body.subarray(0, end);
  return {
    header: parseJsonBytes(head),
    report: end === -1 ? new Uint8Array(0) : body.subarray(end + 1),
  };
}
