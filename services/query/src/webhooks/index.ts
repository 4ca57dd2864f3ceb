/** Webhooks: notices of an organisation go to the receivers that its administrators name. */
import type { QueryContext } from '../context.ts';
import type { Feature } from '../http/feature.ts';
import { webhookRoutes } from './routes.ts';
import type { WebhookTarget } from './target.ts';

export { WEBHOOK_ATTEMPTS_COLLECTION } from './attempts.ts';
export { disableGone } from './commands.ts';
export { WEBHOOK_MESSAGES } from './messages.ts';
export { webhookOperations } from './operations.ts';
export { WEBHOOK_NOTICES_COLLECTION } from './queue.ts';
export { cloudEvent } from './shapes/cloudevents.ts';
export { WEBHOOK_SCHEDULES_COLLECTION } from './schedules.ts';
export { WebhookTarget } from './target.ts';

export interface WebhookContext extends QueryContext {
  readonly webhooks: WebhookTarget;
}

export const webhooks: Feature<WebhookContext> = async (app, context) => webhookRoutes(app, context);
