import { Type, type Static } from 'typebox';
import { FrequencySchema } from '../enums.ts';
import { closed, UuidSchema } from './common.ts';

/**
 * The exported agent configuration (section 3 and decision 4 of the specification). Only enabled files; a disabled
 * device has none. The `ETag` of GET /devices/config carries the configVersion that the agent puts into its reports.
 */
export const AgentConfigurationSchema = closed({
  orgId: UuidSchema,
  devId: UuidSchema,
  apiKey: Type.String({ minLength: 1, maxLength: 200 }),
  healthInterval: Type.Integer({ minimum: 10, description: 'seconds' }),
  workingDirectory: Type.String(),
  sentinelAddress: Type.String({ description: 'SENTINEL_PUBLIC_URL with /api/v1' }),
  clearOrphanedProcesses: Type.Literal(true),
  files: Type.Array(
    closed({
      id: UuidSchema,
      path: Type.String({ description: 'relative paths are against workingDirectory' }),
      type: FrequencySchema,
      interval: Type.Optional(Type.Integer({ minimum: 1, description: 'seconds, PROBE only' })),
      rolled: Type.Boolean(),
      rolledfilenameregexp: Type.Optional(
        Type.String({ description: 'RE2; matches a whole base name in the folder of the file' }),
      ),
      modifiable: Type.Boolean(),
      attributes: Type.Optional(
        Type.Literal(true, { description: 'reports carry attributes; only for agents that ask for it' }),
      ),
      data: Type.Enum(['text', 'binary']),
    }),
  ),
});
export type AgentConfiguration = Static<typeof AgentConfigurationSchema>;
