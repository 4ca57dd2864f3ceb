/** Commands on rules, and on the own mail settings of people. The callers have checked permissions. */
import {
  LIMITS,
  notificationRuleStream,
  type NotificationRule,
  type NotificationRuleEntity,
  type NotificationRuleFields,
  type NotificationSetting,
} from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import { newUuid } from '../commands/new-uuid.ts';
import { refusal, runOnAny } from '../commands/run.ts';
import type { QueryContext } from '../context.ts';
import type { Actor } from '../registry/decision.ts';
import {
  decideNotificationRule,
  scheduleProblem,
  type NotificationRuleCommand,
} from '../registry/notification-rule.ts';
import type { Expected, Precondition } from '../registry/tags.ts';
import {
  type DeviceView,
  type FileView,
  iso,
  type Tagged,
  type UserView,
  VIEWS,
  viewsOf,
  type WebhookView,
} from '../views/index.ts';
import type { QuotaKind } from '../storage/quotas.ts';
import { addNotices } from './mailboxes.ts';
import { causeId } from './notice-id.ts';
import type { Notice } from './notice.ts';
import { readRule, readRules } from './rules.ts';
import { changeSetting, userRecipient, type Unsubscribing } from './settings.ts';

const QUOTA: QuotaKind = {
  kind: 'rules',
  limit: LIMITS.notificationRules,
  refusal: `An organization has at most ${LIMITS.notificationRules} rules.`,
  view: VIEWS.notificationRules,
  streamOf: notificationRuleStream,
  present: async (store, orgId) => (await readRules(store, orgId)).length,
};

/** @throws ApiError LIMIT_REACHED, VALIDATION_FAILED */
export async function makeRule(
  context: QueryContext,
  orgId: string,
  by: Actor,
  fields: NotificationRuleFields,
): Promise<NotificationRule> {
  await checkNames(context, orgId, fields);
  const id = newUuid(context);
  const of = { id, orgId };
  await context.quotas.add(QUOTA, orgId, id, () => command(context, by, { type: 'MAKE', of, fields }));
  return (await afterChange(() => readRule(context.store, of))).body;
}

/** @throws ApiError NOT_FOUND, STALE, VALIDATION_FAILED */
export async function changeRule(
  context: QueryContext,
  of: { readonly id: string; readonly orgId: string },
  by: Actor,
  fields: NotificationRuleFields,
  precondition?: Precondition<NotificationRuleEntity>,
): Promise<Tagged<NotificationRule>> {
  await checkNames(context, of.orgId, fields);
  await command(context, by, { type: 'CHANGE', of, fields }, precondition);
  return afterChange(() => readRule(context.store, of));
}

/** @throws ApiError NOT_FOUND, STALE */
export async function deleteRule(
  context: QueryContext,
  of: { readonly id: string; readonly orgId: string },
  by: Actor,
  precondition?: Precondition<NotificationRuleEntity>,
): Promise<void> {
  await command(context, by, { type: 'DELETE', of }, precondition);
}

async function command(
  context: QueryContext,
  by: Actor,
  command: NotificationRuleCommand,
  precondition?: Precondition<NotificationRuleEntity>,
): Promise<void> {
  const { orgId, id } = command.of;
  await runOnAny<NotificationRuleEntity>(context, {
    stream: notificationRuleStream(id),
    orgId,
    by,
    precondition,
    decide: (rule, stamp) => decideNotificationRule(command, rule, stamp),
  });
}

/**
 * Checks that a rule names only what the organisation has: another id would be a rule that tells nobody of anything.
 * Deleted devices and files may stay, so that a rule can be changed after their deletion; so may deleted users and
 * webhooks in a rule that is off, so that it can be switched off.
 * @throws ApiError VALIDATION_FAILED
 */
async function checkNames(
  { store }: QueryContext,
  orgId: string,
  { enabled, to: { userIds, webhookIds }, when: { deviceIds, fileIds } }: NotificationRuleFields,
): Promise<void> {
  const [users, webhooks, devices, files] = await Promise.all([
    viewsOf<UserView>(store, VIEWS.users, userIds),
    viewsOf<WebhookView>(store, VIEWS.webhooks, webhookIds),
    viewsOf<DeviceView>(store, VIEWS.devices, deviceIds),
    viewsOf<FileView>(store, VIEWS.files, fileIds),
  ]);
  const isUser = (id: string): boolean =>
    users.get(id)?.orgId === orgId && !(enabled && users.get(id)?.deleted);
  const isWebhook = (id: string): boolean =>
    webhooks.get(id)?.orgId === orgId && !(enabled && webhooks.get(id)?.isDeleted);
  checkNamed('/to/userIds', 'is no user of this organization', userIds, isUser);
  checkNamed('/to/webhookIds', 'is no webhook of this organization', webhookIds, isWebhook);
  const isDevice = (id: string): boolean => devices.get(id)?.orgId === orgId;
  checkNamed('/when/deviceIds', 'is no device of this organization', deviceIds, isDevice);
  const isFile = (id: string): boolean => files.get(id)?.orgId === orgId;
  checkNamed('/when/fileIds', 'is no file of this organization', fileIds, isFile);
}

function checkNamed(
  path: string,
  message: string,
  ids: readonly string[],
  isKnown: (id: string) => boolean,
): void {
  const unknown = ids.findIndex((id) => !isKnown(id));
  if (unknown >= 0)
    throw new ApiError('VALIDATION_FAILED', { errors: [{ path: `${path}/${unknown}`, message }] });
}

/** @throws ApiError VALIDATION_FAILED, STALE, CONFLICT */
export async function changeOwnSetting(
  { store }: QueryContext,
  orgId: string,
  { userId, confirm }: Actor,
  setting: NotificationSetting,
  expected?: Expected,
): Promise<Tagged<NotificationSetting>> {
  const problem = scheduleProblem(setting);
  if (problem !== undefined) throw refusal(problem);
  return changeSetting(store, userRecipient(orgId, userId), setting, { expected, confirm });
}

/**
 * Queues a test mail for the caller, even when the caller has switched mails off.
 * @throws OverloadedError when others kept changing the mailbox
 */
export async function sendTest(
  context: QueryContext,
  orgId: string,
  { userId, email, confirm }: Actor,
): Promise<void> {
  const now = context.clock.now();
  const notice: Notice = {
    id: causeId(now, 'test', userId, newUuid(context)),
    type: 'test',
    orgId,
    at: iso(now),
    severity: 'info',
    orderKey: orgId,
    text: `This is a test that ${email} asked for.`,
  };
  const waiting = { notice, rule: 'Test', required: true, single: true, addedAt: now, dueAt: now };
  const recipient = userRecipient(orgId, userId);
  await confirm?.();
  const failures = await addNotices(context.store, [{ recipient, additions: [{ waiting }] }]);
  for (const failure of failures.values()) throw failure;
}

/** @throws ApiError NOT_FOUND when the token was not made here; CONFLICT */
export async function unsubscribe(
  { store }: Pick<QueryContext, 'store'>,
  tokens: Unsubscribing,
  token: string,
): Promise<void> {
  const recipient = tokens.recipientOf(token);
  if (recipient === undefined) throw new ApiError('NOT_FOUND');
  await changeSetting(store, recipient, { mails: false });
}
