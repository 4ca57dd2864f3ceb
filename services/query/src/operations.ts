import { alertOperations } from './alerts/index.ts';
import { dashboardOperations } from './dashboard/index.ts';
import { deviceOperations } from './devices/index.ts';
import { enrolmentOperations } from './enrolments/index.ts';
import { eventOperations } from './events/index.ts';
import { notificationOperations } from './notifications/index.ts';
import { maintenanceOperations } from './maintenance/index.ts';
import { agentOperations } from './openapi/agent-operations.ts';
import type { Operations } from './openapi/operation.ts';
import { peopleOperations } from './people/index.ts';
import { proofOperations } from './proofs/index.ts';
import { selfTestOperations } from './self-test/index.ts';
import { serviceTokenOperations } from './service-tokens/index.ts';
import { signInOperations } from './signin/index.ts';
import { streamOperations } from './stream/index.ts';
import { webhookOperations } from './webhooks/index.ts';

/** The OpenAPI operations of every call below /api/v1. */
export const OPERATIONS: Operations = {
  ...signInOperations,
  ...peopleOperations,
  ...deviceOperations,
  ...enrolmentOperations,
  ...serviceTokenOperations,
  ...webhookOperations,
  ...notificationOperations,
  ...maintenanceOperations,
  ...alertOperations,
  ...eventOperations,
  ...dashboardOperations,
  ...proofOperations,
  ...streamOperations,
  ...selfTestOperations,
  ...agentOperations,
};
