/** Finds what rules name and cannot tell, as things are now. */
import type { NotificationRuleFields, RuleGaps, UnreachedReason } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { neverTold } from '../registry/never-told.ts';
import { VIEWS, viewsOf, type UserView, type WebhookView } from '../views/index.ts';
import { administratorsOf } from './administrators.ts';
import { addressRecipient, settingsOf, userRecipient } from './settings.ts';

/** What is known of those whom rules name. */
export interface KnownRecipients {
  /** Returns undefined when the person gets mails of rules. */
  readonly person: (id: string) => UnreachedReason | undefined;
  /** Returns undefined when the webhook is sent to. */
  readonly webhook: (id: string) => UnreachedReason | undefined;
  readonly administrators: readonly string[];
  readonly hasMailsOff: (recipient: { readonly userId: string } | { readonly address: string }) => boolean;
}

/** Returns what a rule names and cannot tell. Pure. */
export function gapsOf({ when, to, required }: RuleFields, known: KnownRecipients): RuleGaps {
  const unreached = (ids: readonly string[], whyOf: KnownRecipients['person']): RuleGaps['notReached'] =>
    ids.flatMap((id) => {
      const why = whyOf(id);
      return why === undefined ? [] : [{ id, why }];
    });
  const people = [...(to.administrators ? known.administrators : []), ...to.userIds];
  const isTold =
    to.webhookIds.some((id) => known.webhook(id) === undefined) ||
    people.some((id) => known.person(id) === undefined && (required || !known.hasMailsOff({ userId: id }))) ||
    to.addresses.some((address) => required || !known.hasMailsOff({ address }));
  return {
    tellsNobody: !isTold,
    notReached: [...unreached(to.userIds, known.person), ...unreached(to.webhookIds, known.webhook)],
    neverTold: neverTold(when),
  };
}

type RuleFields = Pick<NotificationRuleFields, 'when' | 'to' | 'required'>;

/** Reads what is known of all those whom the rules name. */
export async function knownRecipients(
  store: DocumentStore,
  orgId: string,
  rules: readonly RuleFields[],
): Promise<KnownRecipients> {
  const named = rules.flatMap(({ to }) => to.userIds);
  const addresses = new Set(rules.flatMap(({ to }) => to.addresses));
  const administrators = await administratorsOf(store, orgId);
  const people = [...new Set([...named, ...administrators])];
  const recipients = [
    ...people.map((id) => userRecipient(orgId, id)),
    ...[...addresses].map((address) => addressRecipient(orgId, address)),
  ];
  const [users, webhooks, settings] = await Promise.all([
    viewsOf<UserView>(store, VIEWS.users, people),
    viewsOf<WebhookView>(
      store,
      VIEWS.webhooks,
      rules.flatMap(({ to }) => to.webhookIds),
    ),
    settingsOf(
      store,
      recipients.map(({ id }) => id),
    ),
  ]);
  return {
    person: (id) => whyNoPerson(users.get(id), orgId),
    webhook: (id) => whyNoWebhook(webhooks.get(id), orgId),
    administrators,
    hasMailsOff: (of) => {
      const { id } = 'userId' in of ? userRecipient(orgId, of.userId) : addressRecipient(orgId, of.address);
      return settings.get(id)?.mails === false;
    },
  };
}

function whyNoPerson(user: UserView | undefined, orgId: string): UnreachedReason | undefined {
  if (user === undefined || user.orgId !== orgId || user.deleted) return 'DELETED';
  return user.active ? undefined : 'NOT_ACTIVE';
}

function whyNoWebhook(webhook: WebhookView | undefined, orgId: string): UnreachedReason | undefined {
  if (webhook === undefined || webhook.orgId !== orgId || webhook.isDeleted) return 'DELETED';
  return webhook.enabled ? undefined : 'DISABLED';
}
