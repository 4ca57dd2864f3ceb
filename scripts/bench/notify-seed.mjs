/** Recipients of notices in a benchmark: a webhook and an address for every alert, or nobody. */
import { randomBytes } from 'node:crypto';
import { notificationRuleStream, uuidV7, webhookStream } from '@sentinel-node/contracts';
import { commit, systemRandom } from '@sentinel-node/platform';

const QUERY = '../../services/query/dist/src';

/** Writes the rules like `seedFleet`: the sweeper of the next start publishes them. Without a URL, nobody is notified. */
export async function seedRules(store, { orgId, createdAt }, { url }, masterSecret) {
  const { decideWebhook } = await import(`${QUERY}/registry/webhook.js`);
  const { decideNotificationRule, DEFAULT_RULE } = await import(`${QUERY}/registry/notification-rule.js`);
  const { WebhookSecrets } = await import(`${QUERY}/webhooks/secrets.js`);
  const stamp = { at: createdAt, version: 1, by: null };
  const write = async (stream, { kind, entity }) => {
    if (kind !== 'changed') throw new Error(`${stream}: ${kind}`);
    await commit(store, stream, 0, { orgId, entity, events: [], policies: [], at: createdAt, by: null });
  };
  if (url === undefined) {
    const nobody = { type: 'DELETE', of: { id: orgId, orgId } };
    return write(notificationRuleStream(orgId), decideNotificationRule(nobody, undefined, stamp));
  }
  const id = uuidV7(createdAt, randomBytes(10));
  const sealedTarget = new WebhookSecrets(masterSecret, systemRandom).seal({ orgId, id }, { url });
  const fields = { name: 'Receiver of the benchmark', shape: 'cloudevents' };
  const webhook = { type: 'MAKE', id, orgId, fields, target: { sealedTarget, shownUrl: url } };
  await write(webhookStream(id), decideWebhook(webhook, undefined, stamp));
  const to = { ...DEFAULT_RULE.to, addresses: ['benchmark@example.org'], webhookIds: [id] };
  const rule = { type: 'CHANGE', of: { id: orgId, orgId }, fields: { ...DEFAULT_RULE, to } };
  return write(notificationRuleStream(orgId), decideNotificationRule(rule, undefined, stamp));
}
