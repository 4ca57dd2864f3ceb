/** Counts deliveries to webhooks, for operators. */
import type { Metrics } from '@sentinel-node/platform';

export interface WebhookCounts {
  attempt(delivered: boolean): void;
  /**
   * `dead_letter`: given up and listed in the console; `no_room`: not kept, because too many notices wait.
   */
  undelivered(reason: 'dead_letter' | 'no_room', count: number): void;
}

export function webhookCounts(metrics: Pick<Metrics, 'counter'>): WebhookCounts {
  const attempt = metrics.counter<'result'>({
    name: 'query_webhook_attempts_total',
    help: 'Attempts to deliver a notice to a webhook, by result',
    labels: { result: ['delivered', 'failed'] },
  });
  const undelivered = metrics.counter<'reason'>({
    name: 'query_webhook_undelivered_total',
    help: 'Notices that a webhook did not get, by reason',
    labels: { reason: ['dead_letter', 'no_room'] },
  });
  return {
    attempt: (delivered) => attempt({ result: delivered ? 'delivered' : 'failed' }),
    undelivered: (reason, count) => undelivered({ reason }, count),
  };
}
