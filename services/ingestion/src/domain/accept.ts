import { LIMITS, reportBytes, writeReport, type Report } from '@sentinel-node/contracts';
import type { LogRecord } from '@sentinel-node/platform';
import { headerEnd, isMonitored, type DeviceFile, type DeviceSnapshot } from './device-snapshot.ts';
import { Refusal } from './refusal.ts';

/** Where a report comes from. */
export interface ReportSource {
  readonly device: DeviceSnapshot;
  /** Buffer with the report from `start` to `end`, exactly as received. */
  readonly source: Buffer;
  readonly start: number;
  readonly end: number;
  /** Allocates memory for the record. */
  readonly allocate: (bytes: number) => Uint8Array;
}

/** The fields of a valid report that accepting it needs. */
export interface FitReport {
  readonly sequence: number;
  /** The report packed, if it is plain (`readPlainReport`); valid until the next check. */
  readonly packed?: Uint8Array | undefined;
}

const MICROSECONDS_PER_MS = 1_000;

/** Returns why reports of this file are refused; undefined when they are accepted. */
export function refusalOfFile(device: DeviceSnapshot, file: DeviceFile | undefined): Refusal | undefined {
  if (file === undefined) return new Refusal('NOT_FOUND', { detail: 'The device has no such file.' });
  if (!isMonitored(device, file))
    return new Refusal('MONITORING_DISABLED', { detail: 'Monitoring is off for the file or its device.' });
  return undefined;
}

/** Returns why this report is refused although its form is valid; undefined when it is accepted. */
export function refusalOfReport({ sequence }: Pick<Report, 'sequence'>, nowMs: number): Refusal | undefined {
  if (sequence <= (nowMs + LIMITS.sequenceAheadMs) * MICROSECONDS_PER_MS) return undefined;
  return new Refusal('SEQUENCE_AHEAD', { detail: 'The sequence is more than 24 hours ahead of the server.' });
}

/**
 * Returns the record of `sentinel.file-events.v1`: the stamped header and the report, packed or as received.
 * @param nowMs when the report was accepted @param nonce 16 bytes, never used before
 */
export function reportRecord(
  { device, source, start, end, allocate }: ReportSource,
  file: DeviceFile,
  { sequence, packed }: FitReport,
  nowMs: number,
  nonce: Uint8Array,
): LogRecord {
  const parts = {
    start: device.headerStart,
    acceptedAt: nowMs,
    nonce,
    end: headerEnd(device, file),
    report: packed ?? source.subarray(start, end),
    isPacked: packed !== undefined,
  };
  const body = allocate(reportBytes(parts));
  writeReport(parts, body);
  const { id: key } = file.entity;
  return { key, id: `${key}:${sequence}`, body };
}
