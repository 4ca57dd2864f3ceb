import type { Http } from './http.ts';
import { alertCalls } from './calls/alerts.ts';
import { deviceCalls } from './calls/devices.ts';
import { enrolmentCalls } from './calls/enrolments.ts';
import { serviceTokenCalls } from './calls/service-tokens.ts';
import { eventCalls } from './calls/events.ts';
import { fileCalls } from './calls/files.ts';
import { sessionCalls } from './calls/session.ts';
import { userCalls } from './calls/users.ts';

/** Every call of /api/v1 that the console makes, named as in the specification's section 7. */
export function createClient(http: Http) {
  return {
    ...sessionCalls(http),
    ...alertCalls(http),
    ...deviceCalls(http),
    ...enrolmentCalls(http),
    ...serviceTokenCalls(http),
    ...eventCalls(http),
    ...fileCalls(http),
    ...userCalls(http),
  };
}

export type Client = ReturnType<typeof createClient>;
