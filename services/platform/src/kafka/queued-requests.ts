import { createRequire } from 'node:module';

/**
 * Replaces kafkajs's own plan of the next look at the requests that wait for a connection. Without waiting requests, kafkajs asks
 * for a timer of a negative time, which Node makes one millisecond, and plans the next one then: each connection that has had
 * one answer wakes the process a thousand times a second for ever. Only a waiting request needs a look: a request that
 * comes later plans its own. kafkajs is pinned to 2.2.4; `kafka-queued-requests.test` fails when another version does this
 * differently.
 */
const requireInner = createRequire(import.meta.url);

interface InnerQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}
const { prototype: queue } = requireInner('kafkajs/src/network/requestQueue') as {
  readonly prototype: InnerQueue;
};

let isReplaced = false;

/** Replaces the function for every connection of this thread. */
export function planOnlyForWaitingRequests(): void {
  if (isReplaced) return;
  isReplaced = true;
  const { scheduleCheckPendingRequests: plan } = queue;
  queue.scheduleCheckPendingRequests = function planned() {
    if (this.pending.length > 0) plan.call(this);
  };
}
