import type { Http } from './http.ts';
import { alertCalls } from './calls/alerts.ts';
import { deviceCalls } from './calls/devices.ts';
import { enrolmentCalls } from './calls/enrolments.ts';
import { serviceTokenCalls } from './calls/service-tokens.ts';
import { notificationCalls } from './calls/notifications.ts';
import { expectedCalls } from './calls/expected.ts';
import { maintenanceCalls } from './calls/maintenance.ts';
import { eventCalls } from './calls/events.ts';
import { fileCalls } from './calls/files.ts';
import { sessionCalls } from './calls/session.ts';
import { userCalls } from './calls/users.ts';
import { webhookCalls } from './calls/webhooks.ts';

/** Every call of /api/v1 that the console makes, named as in the specification's section 7. */
export function createClient(http: Http) {
  return {
    ...sessionCalls(http),
    ...alertCalls(http),
    ...deviceCalls(http),
    ...enrolmentCalls(http),
    ...serviceTokenCalls(http),
    ...webhookCalls(http),
    ...notificationCalls(http),
    ...maintenanceCalls(http),
    ...expectedCalls(http),
    ...eventCalls(http),
    ...fileCalls(http),
    ...userCalls(http),
  };
}

export type Client = ReturnType<typeof createClient>;
