import type { Operations } from '../openapi/operation.ts';

export const streamOperations: Operations = {
  'GET /stream/:orgId': {
    summary: 'Live updates as server-sent events',
    description:
      'Starts with `ready`; a client loads after it. `Last-Event-ID` resumes with what was missed, or with a comment when that was nothing; after `resync` a client loads anew. A token that ends, ends the stream. `views` tells how old the views are (`state`, `asOf`), at the start, when the state changes, and every 15 s. Of other users a REGULAR user hears only the id of one that was deleted.',
    answer: 'event: ready\nid: 0199f3-41\ndata: {}\n\n',
    produces: 'text/event-stream',
  },
};
