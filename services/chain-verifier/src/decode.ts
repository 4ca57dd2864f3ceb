import { hash } from 'node:crypto';
import {
  ClaimRecordSchema,
  NoticeRecordSchema,
  PolicyRecordSchema,
  RecordedLineSchema,
  RecordedReportSchema,
  ReplayHeaderSchema,
  ReportHeaderSchema,
  decodeCompactReport,
  decodeFileEvent,
  isCompact,
  RecordFormatError,
  type FileEventHeader,
  type ReplayHeader,
} from '@sentinel-node/contracts';
import { compileChecker, type StoredRecord } from '@sentinel-node/platform';
import { checkRules, UnknownRulesError } from './domain/decide.ts';
import type { Source } from './domain/source.ts';

/** A record without the form of its topic: no later attempt can handle it. */
export class PoisonRecordError extends Error {
  readonly code = 'POISON_RECORD';
  constructor(message: string) {
    super(message);
    this.name = 'PoisonRecordError';
  }
}

const headerChecks = {
  report: compileChecker(ReportHeaderSchema),
  claim: compileChecker(ClaimRecordSchema),
  policy: compileChecker(PolicyRecordSchema),
  notice: compileChecker(NoticeRecordSchema),
};
const reportCheck = compileChecker(RecordedReportSchema);
const replayCheck = compileChecker(ReplayHeaderSchema);
/** A line of a bulk request names its file. */
const lineCheck = compileChecker(RecordedLineSchema);
const decoder = new TextDecoder('utf-8', { fatal: true });

/** A dead letter that is replayed. */
export interface Replay {
  readonly kind: 'replay';
  readonly header: ReplayHeader;
  /** Bytes of the dead letter; empty when it is skipped. */
  readonly wrapped: Uint8Array;
}

type Keyed = Pick<StoredRecord, 'key' | 'body'>;

/**
 * Parses a record of file-events once and checks it against the contracts.
 * @throws PoisonRecordError; UnknownRulesError before the other members are checked, because their form may be newer too
 */
export function decodeAny(record: Keyed): Source | Replay {
  try {
    if (isCompact(record.body)) return compactSource(record);
    const { header, report } = decodeFileEvent(record.body);
    if (kindOf(header) === 'replay') return replayOf(header, record.key, report);
    return sourceOf(checkedHeader(header, record.key), report);
  } catch (error) {
    if (error instanceof PoisonRecordError || error instanceof UnknownRulesError) throw error;
    if (error instanceof RecordFormatError) throw new PoisonRecordError(`the record ${error.message}`);
    // Without the cause: a parser's message quotes the record, and logs never hold bodies.
    throw new PoisonRecordError(
      `not a record of file-events (${error instanceof Error ? error.name : 'error'})`,
    );
  }
}

/**
 * As `decodeAny`, for the dead letter inside a replay, which is never a replay itself.
 * @throws PoisonRecordError, UnknownRulesError
 */
export function decodeRecord(record: Keyed): Source {
  const source = decodeAny(record);
  if (source.kind === 'replay') throw new PoisonRecordError('a replay within a replay');
  return source;
}

/**
 * A report of a compact body. Its header fits by its encoding; so does a packed report.
 * @throws RecordFormatError, PoisonRecordError, UnknownRulesError
 */
function compactSource({ key, body }: Keyed): Source {
  const { header, unpacked, bytes } = decodeCompactReport(body, checkRules);
  if (header.fileId !== key) throw new PoisonRecordError('the key of the record is not its file');
  if (unpacked === undefined) return sourceOf(header, bytes);
  const { report, text } = unpacked;
  return { kind: 'report', header, report, text, reportHash: hash('sha256', text, 'hex') };
}

const kindOf = (header: unknown): unknown => memberOf(header, 'kind');

function memberOf(header: unknown, name: string): unknown {
  return typeof header === 'object' && header !== null ? Reflect.get(header, name) : undefined;
}

function replayOf(header: unknown, key: string, wrapped: Uint8Array): Replay {
  if (!replayCheck.check(header)) throw new PoisonRecordError('the header of a replay does not fit');
  if (header.key !== key) throw new PoisonRecordError('the key of the replay is not its file');
  return { kind: 'replay', header, wrapped };
}

function checkedHeader(header: unknown, key: string): FileEventHeader {
  const kind = kindOf(header);
  if (kind !== 'report' && kind !== 'claim' && kind !== 'policy' && kind !== 'notice')
    throw new PoisonRecordError('a record of no known kind');
  const rules = memberOf(header, 'rules');
  if (typeof rules === 'number' && Number.isSafeInteger(rules) && rules > 0) checkRules(rules);
  if (!headerChecks[kind].check(header)) {
    const [misfit] = headerChecks[kind].errors(header);
    throw new PoisonRecordError(`the header of a ${kind} does not fit at ${misfit?.path ?? '/'}`);
  }
  const checked = header;
  if ((checked.fileId ?? checked.deviceId) !== key)
    throw new PoisonRecordError('the key of the record is not its file');
  return checked;
}

function sourceOf(header: FileEventHeader, bytes: Uint8Array): Source {
  switch (header.kind) {
    case 'claim':
      return { kind: 'claim', header };
    case 'policy':
      return { kind: 'policy', header };
    case 'notice':
      return { kind: 'notice', header };
    case 'report': {
      const text = decoder.decode(bytes);
      const report: unknown = JSON.parse(text);
      const checker = isLine(report) ? lineCheck : reportCheck;
      if (!checker.check(report)) throw new PoisonRecordError('the report does not fit');
      const reportHash = hash('sha256', bytes, 'hex');
      return { kind: 'report', header, report, text, reportHash };
    }
  }
}

function isLine(report: unknown): boolean {
  return typeof report === 'object' && report !== null && Object.hasOwn(report, 'fileId');
}
