import { Type, type Static } from 'typebox';
import { ChangeSchema } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { AttributesSchema } from './attributes.ts';
import { BulkReceiptSchema, ReceiptSchema } from '../receipt/receipt.ts';
import { closed, CountSchema, HashSchema, IdSchema, TimestampSchema, UuidSchema } from './common.ts';

export const VersionSchema = closed({ length: CountSchema, hash: HashSchema });
export type Version = Static<typeof VersionSchema>;

export const ArchiveSchema = closed({
  name: Type.String({ minLength: 1, maxLength: 1024 }),
  length: CountSchema,
  hash: HashSchema,
});
export type Archive = Static<typeof ArchiveSchema>;

const reportProperties = {
  sequence: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'strictly increasing per file; usually the clock of the agent in µs',
  }),
  timestamp: TimestampSchema,
  change: ChangeSchema,
  versions: Type.Array(VersionSchema, { maxItems: LIMITS.versionsPerReport }),
  archives: Type.Optional(Type.Array(ArchiveSchema, { maxItems: LIMITS.archivesPerReport })),
  error: Type.Optional(
    closed({ code: Type.String({ maxLength: 100 }), message: Type.String({ maxLength: 2_000 }) }),
  ),
  /** Attributes of the newest version, or of the entry in its place; the configuration asks for them. */
  attributes: Type.Optional(AttributesSchema),
  reread: Type.Optional(Type.Boolean()),
  configVersion: Type.Optional(CountSchema),
  instanceId: Type.Optional(IdSchema),
  signature: Type.Optional(Type.String({ maxLength: 256 })),
};

/** Body of POST /files/{orgId}/{deviceId}/{fileId}. */
export const ReportSchema = closed(reportProperties);
export type Report = Static<typeof ReportSchema>;

/** A line of POST /files/bulk/{orgId}/{deviceId}. */
export const BulkLineSchema = closed({ fileId: UuidSchema, ...reportProperties });
export type BulkLine = Static<typeof BulkLineSchema>;

export const ReportAcceptedSchema = closed({
  fileId: UuidSchema,
  sequence: CountSchema,
  /** Present if the report asked for it. */
  receipt: Type.Optional(ReceiptSchema),
});
export type ReportAccepted = Static<typeof ReportAcceptedSchema>;

export const BulkAnswerSchema = closed({
  accepted: CountSchema,
  rejected: Type.Array(
    closed(
      { line: CountSchema, code: Type.String(), detail: Type.String() },
      { description: 'line counts from 1' },
    ),
  ),
  /** Present if the body asked for it and a line was accepted. */
  receipt: Type.Optional(BulkReceiptSchema),
});
export type BulkAnswer = Static<typeof BulkAnswerSchema>;

const AgentCodeSchema = Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,59}$' });

/** Message of an agent about itself; becomes an event AGENT_ERROR. */
export const AgentEventSchema = closed({
  code: AgentCodeSchema,
  message: Type.String({ maxLength: 500 }),
  fileId: Type.Union([UuidSchema, Type.Null()]),
});
export type AgentEvent = Static<typeof AgentEventSchema>;

const CheckedFileSchema = closed({
  id: UuidSchema,
  checkedAt: Type.Union([TimestampSchema, Type.Null()]),
  /** Reason why the agent does not look at the file now. As long as it is present, the file has no contact. */
  problem: Type.Optional(AgentCodeSchema),
});

export const HeartbeatSchema = closed({
  timestamp: TimestampSchema,
  instanceId: IdSchema,
  agentVersion: Type.String({ maxLength: 50 }),
  queue: Type.Integer({ minimum: 0, description: 'reports that wait in the spool' }),
  oldestUnsent: Type.Union([TimestampSchema, Type.Null()]),
  files: Type.Array(CheckedFileSchema, { maxItems: LIMITS.heartbeatFiles }),
  /** Reports that the server refused for good (413, 422). */
  setAside: Type.Optional(CountSchema),
  events: Type.Optional(Type.Array(AgentEventSchema, { maxItems: LIMITS.heartbeatEvents })),
});
export type Heartbeat = Static<typeof HeartbeatSchema>;

export const HeartbeatAnswerSchema = closed({
  configVersion: CountSchema,
  serverTime: TimestampSchema,
  files: Type.Array(
    closed({
      id: UuidSchema,
      lastSequence: CountSchema,
      length: Type.Union([CountSchema, Type.Null()]),
      hash: Type.Union([HashSchema, Type.Null()]),
      number: Type.Union([CountSchema, Type.Null()]),
      linkHash: Type.Union([HashSchema, Type.Null()]),
    }),
  ),
});
export type HeartbeatAnswer = Static<typeof HeartbeatAnswerSchema>;
