import type { Clock, FieldError, KeyedThrottle, LogRecord } from '@sentinel-node/platform';
import { refusalOfFile, refusalOfReport, reportRecord } from './domain/accept.ts';
import type { FitReport, ReportSource } from './domain/accept.ts';
import type { DeviceFile, DeviceSnapshot } from './domain/device-snapshot.ts';
import { malformedNotice, type Stamp } from './domain/notices.ts';
import { Refusal } from './domain/refusal.ts';
import type { Nonces } from './nonces.ts';
import type { RefusedFiles } from './refused-files.ts';
import type { Checked } from './report-check.ts';

/** Dependencies for judging a line. */
export interface LineJudge {
  readonly clock: Clock;
  readonly nonces: Nonces;
  readonly stamp: (nowMs: number) => Stamp;
  readonly malformed: KeyedThrottle;
  readonly refusedFiles: Pick<RefusedFiles, 'refused' | 'accepted' | 'refusedAt'>;
}

/** A received report: the body of a call, or a line of a bulk body. */
export interface ReceivedLine extends ReportSource {
  /** The cached device; if that would refuse the file, the device as read from the store after the line came. */
  readonly device: DeviceSnapshot;
  readonly fileId: string;
  /** The file, if the device has it. */
  readonly file: DeviceFile | undefined;
  readonly checked: Checked<FitReport>;
  /** Detail of the refusal of a report with a wrong form. */
  readonly invalid: string;
  /** True if the path names the file: a refusal of the file then precedes a refusal of the form. */
  readonly isNamedByPath: boolean;
}

/** A line that counts as accepted once its record is durable. */
export interface AcceptedLine {
  readonly record: LogRecord;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
  /** Called once the record is durable; absent when there is nothing to do then. */
  readonly onDurable?: () => void;
}

/** A line that counts as refused once its notice is durable, or at once without a notice. */
export interface RejectedLine {
  readonly refusal: Refusal;
  readonly notice: LogRecord | undefined;
  /** Called when the notice could not be stored. */
  readonly undo: () => void;
}

/** Returns the record that makes the line durable, or the refusal. */
export function acceptLine(judge: LineJudge, line: ReceivedLine): AcceptedLine | RejectedLine {
  const { device, fileId, file, checked, isNamedByPath } = line;
  const ofFile = refusalOfFile(device, file);
  if (ofFile !== undefined && (checked.fits || isNamedByPath)) return rejected(ofFile);
  const nowMs = judge.clock.now();
  if (!checked.fits) return malformed(judge, line, checked.errors, ofFile !== undefined, nowMs);
  const refusal = refusalOfReport(checked.value, nowMs);
  if (refusal !== undefined) {
    judge.refusedFiles.refused(device.entity.orgId, fileId, nowMs);
    return rejected(refusal);
  }
  const record = reportRecord(line, file!, checked.value, nowMs, judge.nonces.nextBytes());
  const accepted = { record, acceptedAt: nowMs };
  const { refusedFiles } = judge;
  const refusedAt = refusedFiles.refusedAt(fileId);
  if (refusedAt === undefined) return accepted;
  // A refusal that came meanwhile is of a later report.
  const onDurable = (): void => {
    if (refusedFiles.refusedAt(fileId) === refusedAt) refusedFiles.accepted(fileId, nowMs);
  };
  return { ...accepted, onDurable };
}

export const isRejected = (result: AcceptedLine | RejectedLine): result is RejectedLine =>
  'refusal' in result;

/** Refuses a line of a wrong form; only a monitored file gets a notice. */
function malformed(
  judge: LineJudge,
  { device, fileId, invalid }: ReceivedLine,
  errors: readonly FieldError[],
  isForeign: boolean,
  nowMs: number,
): RejectedLine {
  const refusal = new Refusal('VALIDATION_FAILED', { detail: invalid, errors });
  if (isForeign) return rejected(refusal);
  judge.refusedFiles.refused(device.entity.orgId, fileId, nowMs);
  if (!judge.malformed.take(fileId, nowMs)) return rejected(refusal);
  const notice = malformedNotice(device.entity, fileId, errors, judge.stamp(nowMs));
  return { refusal, notice, undo: () => judge.malformed.release(fileId) };
}

const rejected = (refusal: Refusal): RejectedLine => ({ refusal, notice: undefined, undo: nothing });
function nothing(): void {}
