import { AlertStatusSchema, AlertTypeSchema, type Readable } from '@sentinel-node/contracts';
import { Type, type Static } from 'typebox';

const text = Type.Union([Type.String(), Type.Null()]);

/** Public data of a shared alert, for the share page; `eventRequest` is a JSON string. The schema is open, so that
 * the page still works when the answer gains a member. */
export const SharedAlertSchema = Type.Object({
  id: Type.String(),
  timestamp: Type.String(),
  status: AlertStatusSchema,
  type: AlertTypeSchema,
  overrideUserEmail: Type.Optional(text),
  note: Type.Optional(text),
  deviceId: Type.String(),
  deviceName: Type.String(),
  fileId: Type.String(),
  fileName: Type.String(),
  eventRequest: Type.String(),
});
export type SharedAlert = Readable<Static<typeof SharedAlertSchema>>;
