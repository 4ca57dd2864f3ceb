/** Summary of all changes of a file, for charts; its size is limited however long the chain is. */
import { Type, type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import {
  closed,
  CountSchema,
  HashSchema,
  IdSchema,
  nullable,
  TimestampSchema,
  UuidSchema,
} from './common.ts';
import { AlertSchema, LinkSchema } from './entities.ts';

const { id, number, type, timestamp, length } = LinkSchema.properties;
/** A version of the file. */
export const FileVersionSchema = closed({ id, number, type, timestamp, length });
export type FileVersion = Static<typeof FileVersionSchema>;

const alert = AlertSchema.properties;
/** An alert of the file, and who handled it. */
export const FileBreakSchema = closed({
  id: alert.id,
  type: alert.type,
  status: alert.status,
  timestamp: alert.timestamp,
  lastTimestamp: alert.lastTimestamp,
  occurrences: alert.occurrences,
  hashId: alert.hashId,
  handledAt: nullable(TimestampSchema),
  overrideUserEmail: alert.overrideUserEmail,
  note: alert.note,
});
export type FileBreak = Static<typeof FileBreakSchema>;

export const FileHistorySchema = closed({
  name: Type.String(),
  path: Type.String(),
  /** The file, or its device, was deleted. Its history stays. */
  deleted: Type.Boolean(),
  device: closed({ id: UuidSchema, name: Type.String(), enabled: Type.Boolean() }),
  entries: Type.Integer({ minimum: 0, description: 'of the chain; their numbers begin with 0' }),
  present: nullable(
    closed(
      {
        length: nullable(CountSchema),
        hash: nullable(HashSchema),
        missing: Type.Boolean(),
        linkHash: nullable(HashSchema),
        lastLinkId: nullable(IdSchema),
      },
      { description: 'the file as it was last reported; null: nothing was' },
    ),
  ),
  versions: Type.Array(FileVersionSchema, {
    description: `oldest first, at most ${LIMITS.historyVersions}: of a longer chain the oldest one of as many parts of equal length, and the newest`,
  }),
  /** True when `versions` has every version. */
  whole: Type.Boolean(),
  breaks: Type.Array(FileBreakSchema, { description: `newest first, at most ${LIMITS.historyBreaks}` }),
  /** True when the file has older breaks. */
  olderBreaks: Type.Boolean(),
});
export type FileHistory = Static<typeof FileHistorySchema>;
