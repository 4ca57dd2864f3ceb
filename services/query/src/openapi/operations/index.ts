import type { Operations } from '../operation.ts';
import { alertOperations } from './alerts.ts';
import { deviceOperations } from './devices.ts';
import { peopleOperations } from './people.ts';
import { proofOperations } from './proofs.ts';
import { serviceOperations } from './service.ts';

export const OPERATIONS: Operations = {
  ...peopleOperations,
  ...deviceOperations,
  ...alertOperations,
  ...proofOperations,
  ...serviceOperations,
};
