import { createHash } from 'node:crypto';
import {
  ClaimRecordSchema,
  NoticeRecordSchema,
  PolicyRecordSchema,
  ReportHeaderSchema,
  ReportSchema,
  UuidSchema,
  decodeFileEvent,
  type FileEventHeader,
} from '@sentinel-node/contracts';
import type { StoredRecord } from '@sentinel-node/platform';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { JudgedReport, Source } from './domain/source.ts';

/** A record that no attempt can handle: it is not what its topic holds. */
export class PoisonRecordError extends Error {
  readonly code = 'POISON_RECORD';
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PoisonRecordError';
  }
}

/** A line of a bulk request names its file. */
const StoredReportSchema = Type.Object(
  { ...ReportSchema.properties, fileId: Type.Optional(UuidSchema) },
  { additionalProperties: false },
);

const headerChecks = {
  report: Compile(ReportHeaderSchema),
  claim: Compile(ClaimRecordSchema),
  policy: Compile(PolicyRecordSchema),
  notice: Compile(NoticeRecordSchema),
};
const reportCheck = Compile(StoredReportSchema);
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parses a record of file-events once and checks it against the contracts. @throws PoisonRecordError */
export function decodeRecord(record: StoredRecord): Source {
  try {
    const { header, report } = decodeFileEvent(record.body);
    return sourceOf(checkedHeader(header, record.key), report);
  } catch (error) {
    if (error instanceof PoisonRecordError) throw error;
    throw new PoisonRecordError('not a record of file events', { cause: error });
  }
}

function checkedHeader(header: unknown, key: string): FileEventHeader {
  const kind = (header as { kind?: unknown } | null)?.kind;
  if (kind !== 'report' && kind !== 'claim' && kind !== 'policy' && kind !== 'notice')
    throw new PoisonRecordError('a record of no known kind');
  if (!headerChecks[kind].Check(header)) throw new PoisonRecordError(`the header of a ${kind} does not fit`);
  const checked = header as FileEventHeader;
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
      if (!reportCheck.Check(report)) throw new PoisonRecordError('the report does not fit');
      const reportHash = createHash('sha256').update(bytes).digest('hex');
      return { kind: 'report', header, report: report as JudgedReport, text, reportHash };
    }
  }
}
