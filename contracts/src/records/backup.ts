/** Files of a backup (`sentinel backup`): a manifest, and lines of JSON. */
import { Type, type Static } from 'typebox';
import { closed, CountSchema, HashSchema } from '../schemas/common.ts';

/** Version of the format; raised when older programs could not read a backup. */
export const BACKUP_FORMAT = 1;

const FileFields = {
  /** Inside the folder of the backup. */
  file: Type.String({ pattern: '^(documents|log)/[A-Za-z0-9_-][A-Za-z0-9._-]*(/[0-9]+)?\\.ndjson\\.gz$' }),
  lines: CountSchema,
  /** Size of the compressed file; `sha256` is its hash. */
  bytes: CountSchema,
  sha256: HashSchema,
};

export const BackupManifestSchema = closed({
  format: Type.Literal(BACKUP_FORMAT),
  /** ISO 8601. */
  madeAt: Type.String(),
  /** Hex. Identifies the log, and so the master secret. */
  logId: HashSchema,
  collections: Type.Array(closed({ name: Type.String(), ...FileFields })),
  /** Next offset of every partition of the log; the documents depend only on records before it. */
  ends: Type.Array(closed({ topic: Type.String(), retention: Type.String(), ends: Type.Array(CountSchema) })),
  /** Empty when the log is not in the backup. */
  partitions: Type.Array(closed({ topic: Type.String(), partition: CountSchema, ...FileFields })),
});
export type BackupManifest = Static<typeof BackupManifestSchema>;

/** A record of the log; the body is either text (UTF-8) or base64. */
export const BackupRecordSchema = closed({
  offset: CountSchema,
  key: Type.String(),
  id: Type.String(),
  text: Type.Optional(Type.String()),
  bytes: Type.Optional(Type.String()),
});
export type BackupRecord = Static<typeof BackupRecordSchema>;
