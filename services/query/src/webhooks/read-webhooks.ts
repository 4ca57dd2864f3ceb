import {
  LIMITS,
  type NotificationRule,
  type Webhook,
  type WebhookDeadLetters,
  type WebhookDeliveries,
  type Webhooks,
} from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import { readRules } from '../notifications/index.ts';
import { versionTag } from '../registry/tags.ts';
import { iso, isoOrNull, type Tagged, type WebhookView, VIEWS } from '../views/index.ts';
import type { WebhookContext } from './index.ts';
import type { LastAttempt, LeftOut, Schedule } from './schedules.ts';
import { webhookOf } from './webhook-of.ts';

/** Returns all webhooks of the organisation, newest first, without secrets. */
export async function readWebhooks(context: WebhookContext, orgId: string): Promise<Webhooks> {
  const { store, webhooks } = context;
  const found = await store.find(VIEWS.webhooks, {
    where: { orgId, isDeleted: false },
    sort: { field: 'id', direction: 'desc' },
    limit: LIMITS.pageItems,
  });
  const [schedules, rules] = await Promise.all([
    webhooks.schedules.getMany(found.map(({ id }) => id)),
    readRules(store, orgId),
  ]);
  return {
    webhooks: await Promise.all(
      found.map((view) => shown(context, view, schedules.get(view.id), namesOfRules(rules, view.id))),
    ),
  };
}

/** @throws ApiError NOT_FOUND */
export async function readWebhook(
  context: WebhookContext,
  orgId: string,
  id: string,
): Promise<Tagged<Webhook>> {
  const { store, webhooks } = context;
  const view = await store.get(VIEWS.webhooks, id);
  if (view === undefined || view.orgId !== orgId || view.isDeleted) throw new ApiError('NOT_FOUND');
  const [schedules, rules] = await Promise.all([webhooks.schedules.getMany([id]), readRules(store, orgId)]);
  const body = await shown(context, view, schedules.get(id), namesOfRules(rules, id));
  return { body, tag: versionTag(view.rev) };
}

/** Returns the names of the rules that are on and tell the webhook. */
export const namesOfRules = (
  rules: readonly Pick<NotificationRule, 'name' | 'enabled' | 'to'>[],
  webhookId: string,
): string[] =>
  rules.filter(({ enabled, to }) => enabled && to.webhookIds.includes(webhookId)).map(({ name }) => name);

async function shown(
  { webhooks: { queue, attempts }, clock }: WebhookContext,
  view: WebhookView,
  schedule: Schedule | undefined,
  rules: string[],
): Promise<Webhook> {
  const { id, name, shape, enabled, disabledBecause, createdBy, previousSecret } = view;
  const [waiting, deadLetters, [newest]] = await Promise.all([
    queue.countWaiting(id),
    queue.countDead(id),
    attempts.newest(id, 1),
  ]);
  const validUntil = previousSecret?.validUntil ?? 0;
  return {
    ...{ id, name, shape, enabled, disabledBecause, createdBy, rules, waiting, deadLetters },
    url: view.shownUrl,
    creationDate: iso(view.creationDate),
    previousSecretValidUntil: isoOrNull(validUntil > clock.now() ? validUntil : null),
    // The log has the attempt at once; the schedule keeps it longer.
    lastAttempt: lastAttempt(newest ?? schedule?.last ?? null),
    leftOut: leftOut(schedule?.leftOut),
  };
}

function leftOut(of: LeftOut | undefined): Webhook['leftOut'] {
  if (of === undefined) return null;
  return { notices: of.notices, since: iso(of.since), last: iso(of.at) };
}

function lastAttempt(last: LastAttempt | null): Webhook['lastAttempt'] {
  if (last === null) return null;
  const { delivered, status, problem } = last;
  return { at: iso(last.at), delivered, status, problem };
}

/** Returns the newest attempts, newest first. @throws ApiError NOT_FOUND */
export async function readDeliveries(
  context: WebhookContext,
  orgId: string,
  id: string,
): Promise<WebhookDeliveries> {
  await webhookOf(context, orgId, id);
  const found = await context.webhooks.attempts.newest(id);
  return {
    deliveries: found.map(
      ({ id, noticeId, noticeType, at, attempt, delivered, status, ms, answer, problem }) => ({
        ...{ id, noticeId, noticeType, attempt, delivered, status, ms, answer, problem },
        at: iso(at),
      }),
    ),
  };
}

/** Returns the newest 500 dead letters, newest first. @throws ApiError NOT_FOUND */
export async function readDeadLetters(
  context: WebhookContext,
  orgId: string,
  id: string,
): Promise<WebhookDeadLetters> {
  await webhookOf(context, orgId, id);
  const found = await context.webhooks.queue.deadLetters(id, LIMITS.pageItems);
  return {
    deadLetters: found.map(({ notice, diedAt, attempts, problem }) => ({
      noticeId: notice.id,
      noticeType: notice.type,
      text: notice.text,
      at: notice.at,
      givenUpAt: iso(diedAt),
      attempts,
      problem,
    })),
  };
}
