/** Tells of reports that were accepted while their file was being deleted: its chain has ended, so nothing judges them. */
import { createHash } from 'node:crypto';
import {
  CURRENT_RULES,
  encodeFileEvent,
  NONCE_BYTES,
  REPORTS_NOT_JUDGED,
  UUID_RANDOM_BYTES,
  uuidV7,
  type NoticeRecord,
} from '@sentinel-node/contracts';
import type { LogRecord, StoredRecord } from '@sentinel-node/platform';
import { decodeAny } from './decode.ts';
import type { Head } from './domain/head.ts';

export interface NotJudged {
  readonly orgId: string;
  readonly deviceId: string;
  readonly fileId: string;
  readonly path: string;
  readonly sequence: number;
  readonly acceptedAt: number;
  /** Of the record. */
  readonly partition: number;
  readonly offset: number;
}

/** Returns the report in a record that gave nothing because its file is deleted; undefined for other records and duplicates. */
export function reportOfDeleted(record: StoredRecord, head: Head): NotJudged | undefined {
  if (!head.deleted) return undefined;
  const source = decodeAny(record);
  if (source.kind !== 'report') return undefined;
  const { sequence } = source.report;
  if (head.highest !== null && sequence <= head.highest.sequence) return undefined;
  const { acceptedAt, deviceId, fileId, orgId, policy } = source.header;
  const { partition, offset } = record;
  return { orgId, deviceId, fileId, path: policy.path, sequence, acceptedAt, partition, offset };
}

/**
 * Returns a notice for each device: of the file, or of the device when several files are concerned. Its id follows from the
 * place of the first report, so that a repeated batch tells nothing twice.
 */
export function notJudgedNotices(reports: readonly NotJudged[]): LogRecord[] {
  const byDevice = new Map<string, NotJudged[]>();
  for (const report of reports) {
    const own = byDevice.get(report.deviceId);
    if (own === undefined) byDevice.set(report.deviceId, [report]);
    else own.push(report);
  }
  return [...byDevice.values()].map((own) => noticeOf(own[0]!, own));
}

function noticeOf(first: NotJudged, reports: readonly NotJudged[]): LogRecord {
  const files = new Set(reports.map(({ fileId }) => fileId)).size;
  const { acceptedAt, deviceId, fileId, offset, orgId, partition } = first;
  const cause = `sentinel/not-judged ${deviceId} ${partition}:${offset}`;
  const digest = createHash('sha256').update(cause).digest();
  const header: NoticeRecord = {
    kind: 'notice',
    v: 1,
    rules: CURRENT_RULES,
    orgId,
    deviceId,
    acceptedAt,
    nonce: digest.toString('hex', UUID_RANDOM_BYTES, UUID_RANDOM_BYTES + NONCE_BYTES),
    noticeId: uuidV7(acceptedAt, digest.subarray(0, UUID_RANDOM_BYTES)),
    fileId: files === 1 ? fileId : null,
    type: 'AGENT_ERROR',
    code: REPORTS_NOT_JUDGED,
    message: messageOf(reports.length, files, first),
  };
  return {
    key: header.fileId ?? deviceId,
    id: header.noticeId,
    body: encodeFileEvent(JSON.stringify(header)),
  };
}

function messageOf(reports: number, files: number, { path, sequence }: NotJudged): string {
  const were = reports === 1 ? '1 report was' : `${reports} reports were`;
  const of = files === 1 ? `of ${short(path)}` : `of ${files} files (the first of ${short(path)})`;
  return `${were} accepted and not judged ${of}, from sequence ${sequence} on: monitoring was deleted meanwhile.`;
}

/** Paths are long; a message is not. */
const MAX_PATH_CHARACTERS = 200;
const short = (path: string): string =>
  path.length <= MAX_PATH_CHARACTERS ? path : `…${path.slice(-MAX_PATH_CHARACTERS)}`;
