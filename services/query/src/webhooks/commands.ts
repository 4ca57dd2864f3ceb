/** Commands on webhooks. The callers have checked permissions. */
import {
  LIMITS,
  webhookStream,
  type CreatedWebhook,
  type CreateWebhook,
  type RotatedWebhook,
  type SentAgain,
  type UpdateWebhook,
  type WebhookEntity,
  type WebhookShape,
  type WebhookTest,
} from '@sentinel-node/contracts';
import { ApiError, ConflictError, OverloadedError, SealBrokenError } from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import { newUuid } from '../commands/new-uuid.ts';
import { run, type CommitContext } from '../commands/run.ts';
import { readRules, type Notice } from '../notifications/index.ts';
import type { Actor, FieldProblem } from '../registry/decision.ts';
import type { Precondition } from '../registry/tags.ts';
import { decideWebhook, type SealedTarget, type WebhookCommand } from '../registry/webhook.ts';
import type { QuotaKind } from '../storage/quotas.ts';
import { iso, VIEWS } from '../views/index.ts';
import type { WebhookContext } from './index.ts';
import { namesOfRules } from './read-webhooks.ts';
import type { Target } from './secrets.ts';
import { shownUrl, urlProblem } from './target-url.ts';
import { webhookOf } from './webhook-of.ts';

const QUOTA: QuotaKind = {
  kind: 'webhooks',
  limit: LIMITS.webhooksPerOrganization,
  refusal: `An organization has at most ${LIMITS.webhooksPerOrganization} webhooks: delete one first.`,
  view: VIEWS.webhooks,
  streamOf: webhookStream,
  present: (store, orgId) => store.count(VIEWS.webhooks, { orgId, isDeleted: false }),
};

/** @throws ApiError LIMIT_REACHED, VALIDATION_FAILED, OVERLOADED */
export async function makeWebhook(
  context: WebhookContext,
  orgId: string,
  by: Actor,
  { name, shape, url, routingKey }: CreateWebhook,
): Promise<CreatedWebhook> {
  const id = newUuid(context);
  const given = { url, ...(routingKey !== undefined && { routingKey }) };
  const target = sealedTarget(context, { orgId, id, shape }, given);
  const make = { type: 'MAKE', id, orgId, fields: { name, shape }, target } as const;
  await context.quotas.add(QUOTA, orgId, id, () => command(context, orgId, by, id, make));
  return { id, secret: context.webhooks.webhookSecrets.shown({ orgId, id }, 1) };
}

/** @throws ApiError NOT_FOUND, STALE, VALIDATION_FAILED */
export async function changeWebhook(
  context: WebhookContext,
  orgId: string,
  by: Actor,
  id: string,
  { name, enabled, url, routingKey }: UpdateWebhook,
  precondition?: Precondition<WebhookEntity>,
): Promise<void> {
  const fields = { ...(name !== undefined && { name }), ...(enabled !== undefined && { enabled }) };
  const change = { type: 'CHANGE', fields } as const;
  const entity = await webhookOf(context, orgId, id);
  const before = openedTarget(context, entity);
  // A client that sends back the shown URL does not change the stored one, and gives no secret part that was left out.
  const isShown = url === entity.shownUrl && (before !== undefined || url.includes('…'));
  const newUrl = isShown ? undefined : url;
  if (newUrl === undefined && routingKey === undefined)
    return void (await command(context, orgId, by, id, change, precondition));
  const given = {
    ...before,
    url: newUrl ?? before?.url ?? '',
    ...(routingKey !== undefined && { routingKey }),
  };
  const target = sealedTarget(context, entity, given);
  await command(context, orgId, by, id, { ...change, target }, precondition);
  await afterChange(() => context.webhooks.schedules.wake(orgId, [id], { inPause: true }));
  context.webhooks.wake();
}

/** @throws ApiError NOT_FOUND, LIMIT_REACHED */
export async function rotateSecret(
  context: WebhookContext,
  orgId: string,
  by: Actor,
  id: string,
): Promise<RotatedWebhook> {
  const entity = await command(context, orgId, by, id, { type: 'ROTATE' });
  const secret = context.webhooks.webhookSecrets.shown(entity, entity.secretVersion);
  return { secret, previousValidUntil: iso(entity.previousSecret?.validUntil ?? context.clock.now()) };
}

/**
 * Deletes a webhook; its waiting notices, dead letters and log are removed soon after. @throws ApiError
 * NOT_FOUND, STALE
 */
export async function deleteWebhook(
  context: WebhookContext,
  orgId: string,
  by: Actor,
  id: string,
  precondition?: Precondition<WebhookEntity>,
): Promise<void> {
  const rules = namesOfRules(await readRules(context.store, orgId), id);
  await command(context, orgId, by, id, { type: 'DELETE', rules }, precondition);
  await afterChange(() => context.webhooks.schedules.wake(orgId, [id]));
  context.webhooks.wake();
}

/**
 * Sends a test notice the way every notice goes. @throws ApiError NOT_FOUND, CONFLICT when the webhook is
 * disabled, OVERLOADED
 */
export async function testWebhook(
  context: WebhookContext,
  orgId: string,
  { email, confirm }: Actor,
  id: string,
): Promise<WebhookTest> {
  const { name, enabled } = await webhookOf(context, orgId, id);
  if (!enabled) throw new ApiError('CONFLICT', { detail: 'The webhook is disabled: enable it first.' });
  // Notices go to the webhooks of the view, which may be behind.
  if ((await context.store.get(VIEWS.webhooks, id))?.enabled !== true)
    throw new ApiError('UNAVAILABLE', { detail: 'The webhook is not shown as enabled yet.' });
  const noticeId = newUuid(context);
  const notice: Notice = {
    id: noticeId,
    type: 'test',
    orgId,
    at: iso(context.clock.now()),
    severity: 'info',
    orderKey: noticeId,
    text: `This is a test of the webhook ${name}.`,
    actor: email,
  };
  await confirm?.();
  await context.webhooks.enqueue(id, notice);
  return { noticeId };
}

/**
 * Sends dead letters again, after the history has recorded the command. @throws ApiError NOT_FOUND, CONFLICT
 * when the webhook is disabled, UNAVAILABLE when only some were sent
 */
export async function sendAgain(
  context: WebhookContext,
  orgId: string,
  by: Actor,
  id: string,
  noticeIds: readonly string[],
): Promise<SentAgain> {
  const { enabled } = await webhookOf(context, orgId, id);
  if (!enabled) throw new ApiError('CONFLICT', { detail: 'The webhook is disabled: enable it first.' });
  const { queue, schedules } = context.webhooks;
  const deadLetters = await queue.countDeadOf(id, noticeIds);
  const revive = async (): Promise<number> => {
    try {
      return deadLetters === 0 ? 0 : await queue.sendAgain(id, noticeIds);
    } finally {
      // In any case: an earlier call may have ended between the two, and its notices wait unknown to senders.
      await schedules.wake(orgId, [id]);
    }
  };
  if (deadLetters > 0) await command(context, orgId, by, id, { type: 'RESEND', deadLetters });
  const count = await afterChange(revive, 'Some notices may wait still as dead letters: send them again.');
  context.webhooks.wake();
  return { count };
}

/**
 * Disables a webhook whose receiver answered 410. Returns also when the change was made and is shown later.
 * @param called the webhook as it was when its receiver was called
 * @returns false when the webhook has another URL by now, and stays as it is
 * @throws OverloadedError when others kept changing the webhook
 */
export async function disableGone(context: CommitContext, called: WebhookEntity): Promise<boolean> {
  const { orgId, id, sealedTarget } = called;
  const rules = namesOfRules(await readRules(context.store, orgId), id);
  try {
    const { enabled } = await command(context, orgId, null, id, { type: 'GONE', sealedTarget, rules });
    return !enabled;
  } catch (error) {
    /** @boundedBy no pool: the retries of one command */
    if (error instanceof ConflictError) throw new OverloadedError(error.message);
    if (!(error instanceof ApiError && error.code === 'UNAVAILABLE')) throw error;
    return true;
  }
}

async function command(
  context: CommitContext,
  orgId: string,
  by: Actor | null,
  id: string,
  command: WebhookCommand,
  precondition?: Precondition<WebhookEntity>,
): Promise<WebhookEntity> {
  const { entity } = await run<WebhookEntity>(context, {
    stream: webhookStream(id),
    orgId,
    by,
    precondition,
    decide: (entity, stamp) => decideWebhook(command, entity, stamp),
  });
  return entity;
}

/** Returns undefined when the target was sealed with another master secret, or is damaged: it has to be given again. */
function openedTarget({ webhooks }: WebhookContext, entity: WebhookEntity): Target | undefined {
  try {
    return webhooks.webhookSecrets.open(entity, entity.sealedTarget);
  } catch (error) {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  }
}

/** @throws ApiError VALIDATION_FAILED */
function sealedTarget(
  { config, webhooks }: WebhookContext,
  place: { readonly orgId: string; readonly id: string; readonly shape: WebhookShape },
  target: Target,
): SealedTarget {
  const errors = targetProblems(target, place.shape, config.webhookPrivateTargets.length > 0);
  if (errors.length > 0) throw new ApiError('VALIDATION_FAILED', { detail: 'the body is not valid', errors });
  const sealed = webhooks.webhookSecrets.seal(place, target);
  return { sealedTarget: sealed, shownUrl: shownUrl(target.url, place.shape) };
}

function targetProblems(
  { url, routingKey }: Target,
  shape: WebhookShape,
  allowsHttp: boolean,
): FieldProblem[] {
  const problem = urlProblem(url, allowsHttp);
  const key =
    shape === 'pagerduty'
      ? routingKey === undefined && 'is required'
      : routingKey !== undefined && 'is for PagerDuty only';
  return [
    ...(problem === undefined ? [] : [{ path: '/url', message: problem }]),
    ...(key === false ? [] : [{ path: '/routingKey', message: key }]),
  ];
}
