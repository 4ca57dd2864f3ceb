import { webhookStream, type WebhookEntity } from '@sentinel-node/contracts';
import { ApiError, loadStream } from '@sentinel-node/platform';
import type { WebhookContext } from './index.ts';

/** @throws ApiError NOT_FOUND also for a webhook of another organisation */
export async function webhookOf(
  { store }: Pick<WebhookContext, 'store'>,
  orgId: string,
  id: string,
): Promise<WebhookEntity> {
  const found = await loadStream<WebhookEntity>(store, webhookStream(id));
  if (found === undefined || found.entity.orgId !== orgId || found.entity.deleted)
    throw new ApiError('NOT_FOUND');
  return found.entity;
}
