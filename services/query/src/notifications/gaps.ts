/** Finds what rules name and cannot tell, as things are now. */
import type { NotificationRuleFields, RuleGaps, UnreachedReason } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { neverTold } from '../registry/never-told.ts';
import {
  VIEWS,
  viewsOf,
  type DeviceView,
  type FileView,
  type UserView,
  type WebhookView,
} from '../views/index.ts';
import { administratorsOf } from './administrators.ts';
import { addressRecipient, settingsOf, userRecipient } from './settings.ts';

/** The facts about the people, devices and files that rules name. */
export interface KnownNamed {
  /** Returns undefined when the person gets mails of rules. */
  readonly person: (id: string) => UnreachedReason | undefined;
  /** Returns undefined when the webhook is sent to. */
  readonly webhook: (id: string) => UnreachedReason | undefined;
  readonly administrators: readonly string[];
  /** Whether the device or file is not deleted. */
  readonly isThere: (id: string) => boolean;
  readonly hasMailsOff: (recipient: { readonly userId: string } | { readonly address: string }) => boolean;
}

/** Returns what a rule names and cannot tell. Pure. */
export function gapsOf({ when, to, required }: RuleFields, known: KnownNamed): RuleGaps {
  const unreached = (ids: readonly string[], whyOf: KnownNamed['person']): RuleGaps['notReached'] =>
    ids.flatMap((id) => {
      const why = whyOf(id);
      return why === undefined ? [] : [{ id, why }];
    });
  const subjects = [...when.deviceIds, ...when.fileIds];
  const people = [...(to.administrators ? known.administrators : []), ...to.userIds];
  const isTold =
    to.webhookIds.some((id) => known.webhook(id) === undefined) ||
    people.some((id) => known.person(id) === undefined && (required || !known.hasMailsOff({ userId: id }))) ||
    to.addresses.some((address) => !known.hasMailsOff({ address }));
  return {
    tellsNobody: !isTold,
    notReached: [...unreached(to.userIds, known.person), ...unreached(to.webhookIds, known.webhook)],
    neverTold: neverTold(when, subjects.length === 0 || subjects.some(known.isThere)),
  };
}

type RuleFields = Pick<NotificationRuleFields, 'when' | 'to' | 'required'>;

/** Reads what is known of all whom and what the rules name. */
export async function readNamed(
  store: DocumentStore,
  orgId: string,
  rules: readonly RuleFields[],
): Promise<KnownNamed> {
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
    settingsOf(store, recipients),
  ]);
  const there = new Set<string>();
  for (const { when } of rules) {
    const [devices, files] = await Promise.all([
      viewsOf<DeviceView>(store, VIEWS.devices, when.deviceIds),
      viewsOf<FileView>(store, VIEWS.files, when.fileIds),
    ]);
    for (const { id, deleted } of [...devices.values(), ...files.values()]) if (!deleted) there.add(id);
  }
  return {
    isThere: (id) => there.has(id),
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
