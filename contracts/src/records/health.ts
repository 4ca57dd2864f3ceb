/** Records of `sentinel.device-health.v1` (key: deviceId). */
import { Type, type Static } from 'typebox';
import { HeartbeatSchema } from '../schemas/report.ts';
import { recorded } from './recorded.ts';
import { closed, MillisecondsSchema, UuidSchema } from '../schemas/common.ts';

export const HealthRecordSchema = closed({
  v: Type.Literal(1),
  orgId: UuidSchema,
  deviceId: UuidSchema,
  /** Rises with every record of the device, as far as its writer knows those of other processes (decision 080). */
  receivedAt: MillisecondsSchema,
  /** Time of receipt, when that is far before `receivedAt` (decision 085); absent otherwise. */
  at: Type.Optional(MillisecondsSchema),
  heartbeat: recorded(HeartbeatSchema),
});
export type HealthRecord = Static<typeof HealthRecordSchema>;
