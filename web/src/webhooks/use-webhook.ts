import { EventSchema, type WebhookDeadLetter, type WebhookDelivery } from '@sentinel-node/contracts';
import type { Webhook } from '../answers.ts';
import { useEffect, useState } from 'react';
import { api } from '../state/api.ts';
import { liveObject } from '../state/live-object.ts';
import type { LiveItem } from '../state/live.ts';
import { UNANNOUNCED_MS, useReadAgain } from '../state/use-read-again.ts';
import { RELOAD, useResource, type Resource } from '../state/use-resource.ts';

/** Time between two reads while a test's answer is awaited, in ms. */
const POLL_MS = 1_000;

/** Returns whether a live item reports a change of a webhook. */
export const changesWebhooks = (item: LiveItem): boolean =>
  item.kind === 'event' && /WEBHOOK/.test(liveObject(EventSchema, item)?.type ?? '');

export interface WebhookData {
  /** undefined when the webhook does not exist. */
  readonly webhook: Webhook | undefined;
  readonly deliveries: WebhookDelivery[];
  readonly deadLetters: WebhookDeadLetter[];
}

export interface WebhookState {
  readonly resource: Resource<WebhookData>;
  /** Result of the last test: undefined before the first, null while the answer is awaited. */
  readonly tested: WebhookDelivery | null | undefined;
  readonly onTest: (noticeId: string) => void;
}

/** Reads a webhook with its log; repeats every second until a test's answer arrives. */
export function useWebhook(orgId: string, id: string): WebhookState {
  const [noticeId, setNoticeId] = useState<string | null>(null);
  const resource = useResource<WebhookData>({
    key: `webhook ${orgId} ${id}`,
    load: async (signal) => {
      const { webhooks } = await api().getWebhooks(orgId, signal);
      const webhook = webhooks.find((one) => one.id === id);
      if (webhook === undefined) return { webhook, deliveries: [], deadLetters: [] };
      const [{ deliveries }, { deadLetters }] = await Promise.all([
        api().getWebhookDeliveries(orgId, id, signal),
        api().getDeadLetters(orgId, id, signal),
      ]);
      return { webhook, deliveries, deadLetters };
    },
    apply: (data, item) => (changesWebhooks(item) ? RELOAD : data),
  });
  const { data, readAgain } = resource;
  useReadAgain(readAgain, UNANNOUNCED_MS);
  const tested =
    noticeId === null ? undefined : (data?.deliveries.find((one) => one.noticeId === noticeId) ?? null);
  const isAwaited = tested === null && data?.webhook !== undefined;
  useEffect(() => {
    if (!isAwaited) return undefined;
    const timer = setInterval(readAgain, POLL_MS);
    return () => clearInterval(timer);
  }, [isAwaited, readAgain]);
  return { resource, tested, onTest: setNoticeId };
}
