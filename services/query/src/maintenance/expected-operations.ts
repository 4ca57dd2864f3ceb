import { EXAMPLE, expected } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const oneList = { id: EXAMPLE.expectedId };
const { contents, ...list } = expected;
const { reason, scope, end } = list;

export const expectedOperations: Operations = {
  'GET /expected/:orgId': {
    summary: 'Lists the lists of expected changes, newest first',
    description: 'The newest 500, without their contents.',
    answer: { lists: [list] },
  },
  'POST /expected/:orgId': {
    summary: 'Adds a list of paths and SHA-256 that a rollout is to leave',
    description:
      'Later alerts whose file and new content are in the list, exactly, are marked `expected`: out of health and of the active ones. They stay alerts. `checksums` takes the output of `sha256sum`, in the place of `entries`; `folder` is where relative paths are.',
    body: { reason, scope, end, entries: contents },
    answer: { id: EXAMPLE.expectedId },
    refuses: ['LIMIT_REACHED', 'PAYLOAD_TOO_LARGE'],
  },
  'GET /expected/:orgId/:id': {
    summary: 'Reads a list of expected changes with its contents',
    params: oneList,
    answer: expected,
  },
  'DELETE /expected/:orgId/:id': {
    summary: 'Ends a list of expected changes: later alerts are not marked by it',
    params: oneList,
    answer: {},
  },
};
