import { AlertStatusSchema, AlertTypeSchema, AttributeChangesSchema } from '@sentinel-node/contracts';
import { Type, type Static } from 'typebox';

const text = Type.Union([Type.String(), Type.Null()]);

/** The public read of a shared alert: only what the share page lists; `eventRequest` is a JSON string. Open, so that
 * a public page does not break when the read gains a member. */
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
  attributeChanges: Type.Optional(AttributeChangesSchema),
});
export type SharedAlert = Static<typeof SharedAlertSchema>;
