import { agentConfiguration, enrolment, EXAMPLE } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const { name, namePattern, uses, template } = enrolment;

export const enrolmentOperations: Operations = {
  'GET /enrolments/:orgId': {
    summary: 'Lists the enrolment tokens, newest first',
    description: 'The newest 500, also those that have ended. The tokens themselves are not kept.',
    answer: { enrolments: [enrolment] },
  },
  'POST /enrolments/:orgId': {
    summary: 'Makes an enrolment token',
    description:
      'This answer alone has the token. Agents that have it make their own devices, as the template says: `uses` devices (1) within `expiresInDays` (7). `namePattern` (`{host}`) names them.',
    body: { name, namePattern, uses, expiresInDays: 7, template },
    answer: { id: EXAMPLE.enrolmentId, token: EXAMPLE.enrolmentToken },
    refuses: ['LIMIT_REACHED'],
  },
  'DELETE /enrolments/:orgId/:id': {
    summary: 'Ends an enrolment token at once',
    description: 'Devices that it made stay.',
    params: { id: EXAMPLE.enrolmentId },
    answer: {},
  },
  'POST /enrol': {
    summary: 'Makes a device with an enrolment token',
    description:
      'For agents: `sentinel agent enrol`. The same `key` makes no second device: for 24 hours it is answered with the device that it made. `name` is the name of the host.',
    body: { token: EXAMPLE.enrolmentToken, key: 'Yx3mQ8vT1nXc5bWd7KfHj2', name: 'web-17' },
    answer: { deviceName: 'web-17', configuration: agentConfiguration },
    refuses: ['INVALID_ENROLMENT_TOKEN', 'ENROLMENT_ENDED', 'LIMIT_REACHED', 'CONFLICT'],
  },
};
