import { LIMITS, type FileEntity, type Report } from '@sentinel-node/contracts';
import type { LogRecord } from '@sentinel-node/platform';
import { headerEnd, isMonitored, type DeviceSnapshot } from './device-snapshot.ts';
import { Refusal } from './refusal.ts';

export interface Acceptance {
  readonly device: DeviceSnapshot;
  readonly file: FileEntity;
  readonly sequence: number;
  /** Buffer that holds the report from `start` to `end`, exactly as received. */
  readonly source: Buffer;
  readonly start: number;
  readonly end: number;
  readonly nowMs: number;
  /** 32 hex digits, never used before. */
  readonly nonce: string;
  /** Allocates memory for the record. */
  readonly allocate: (bytes: number) => Buffer;
}

const NEWLINE = 0x0a;
const MICROSECONDS_PER_MS = 1_000;

/** Returns why reports of this file are refused; undefined when they are accepted. */
export function refusalOfFile(device: DeviceSnapshot, file: FileEntity | undefined): Refusal | undefined {
  if (file === undefined) return new Refusal('NOT_FOUND', { detail: 'The device has no such file.' });
  if (!isMonitored(device, file))
    return new Refusal('MONITORING_DISABLED', { detail: 'Monitoring is off for the file or its device.' });
  return undefined;
}

/** Returns why this report is refused although its form is right; undefined when it is accepted. */
export function refusalOfReport({ sequence }: Report, nowMs: number): Refusal | undefined {
  if (sequence <= (nowMs + LIMITS.sequenceAheadMs) * MICROSECONDS_PER_MS) return undefined;
  return new Refusal('SEQUENCE_AHEAD', { detail: 'The sequence is more than 24 hours ahead of the server.' });
}

/** Returns the record of `sentinel.file-events.v1`: the stamped header, a line break, the report's bytes. */
export function reportRecord(acceptance: Acceptance): LogRecord {
  const { device, file, sequence, source, start, end, nowMs, nonce, allocate } = acceptance;
  const { headerStart } = device;
  const stamp = `${nowMs},"nonce":"${nonce}`;
  const rest = headerEnd(device, file);
  const body = allocate(headerStart.length + stamp.length + rest.length + 1 + end - start);
  body.set(headerStart, 0);
  let at = headerStart.length;
  at += body.write(stamp, at, 'latin1');
  body.set(rest, at);
  at += rest.length;
  body[at] = NEWLINE;
  source.copy(body, at + 1, start, end);
  return { key: file.id, id: `${file.id}:${sequence}`, body };
}
