/** Reads the current rules of an organisation. */
import {
  LIMITS,
  notificationRuleStream,
  type NotificationRule,
  type NotificationRuleEntity,
} from '@sentinel-node/contracts';
import { ApiError, loadStream, type DocumentStore } from '@sentinel-node/platform';
import { DEFAULT_RULE } from '../registry/notification-rule.ts';
import { versionTag } from '../registry/tags.ts';
import { iso, type NotificationRuleView, type Tagged, VIEWS } from '../views/index.ts';
import { gapsOf, readNamed } from './gaps.ts';
import type { Recipient } from './mailbox.ts';
import { addressRecipient } from './settings.ts';

/** A rule without a look at those whom it names. */
export type Rule = Omit<NotificationRule, 'gaps'>;

/** Returns the rules as `readRules`, each with what it names and cannot tell now. */
export async function readRulesWithGaps(store: DocumentStore, orgId: string): Promise<NotificationRule[]> {
  return withGaps(store, orgId, await readRules(store, orgId));
}

/** @throws ApiError NOT_FOUND */
export async function readRule(
  store: DocumentStore,
  { orgId, id }: { readonly orgId: string; readonly id: string },
): Promise<Tagged<NotificationRule>> {
  const view = await store.get(VIEWS.notificationRules, id);
  const isDefault = view === undefined && id === orgId;
  if (!isDefault && (view?.orgId !== orgId || view.deleted)) throw new ApiError('NOT_FOUND');
  const rule = view === undefined ? defaultRule(orgId) : shown(view);
  const [body] = await withGaps(store, orgId, [rule]);
  return { body: body!, tag: versionTag(view?.rev ?? 0) };
}

async function withGaps(
  store: DocumentStore,
  orgId: string,
  rules: readonly Rule[],
): Promise<NotificationRule[]> {
  const known = await readNamed(store, orgId, rules);
  return rules.map((rule) => ({ ...rule, gaps: gapsOf(rule, known) }));
}

/** Returns the default rule first, then the others in the order of their creation. */
export async function readRules(store: DocumentStore, orgId: string): Promise<Rule[]> {
  const [own, found] = await Promise.all([
    store.get(VIEWS.notificationRules, orgId),
    existingRules(store, orgId),
  ]);
  const others = found.filter(({ id }) => id !== orgId).map(shown);
  if (own === undefined) return [defaultRule(orgId), ...others];
  return own.deleted ? others : [shown(own), ...others];
}

/** Deleted rules stay for ever, and are not read. */
const existingRules = (store: DocumentStore, orgId: string): Promise<NotificationRuleView[]> =>
  store.find(VIEWS.notificationRules, { where: { orgId, deleted: false }, limit: LIMITS.findDocuments });

/** Returns whether a rule names the address. */
export async function isNamedByRule(
  store: DocumentStore,
  { id, orgId }: Pick<Recipient, 'id' | 'orgId'>,
): Promise<boolean> {
  const isIn = ({ to }: Pick<Rule, 'to'>): boolean =>
    to.addresses.some((address) => addressRecipient(orgId, address).id === id);
  const found = await existingRules(store, orgId);
  if (found.some(isIn)) return true;
  // The view can be behind for long after a restore, and what is dropped here is lost.
  for (const ruleId of new Set([orgId, ...found.map((rule) => rule.id)])) {
    const rule = await loadStream<NotificationRuleEntity>(store, notificationRuleStream(ruleId));
    if (rule !== undefined && !rule.entity.deleted && isIn(rule.entity)) return true;
  }
  return false;
}

const defaultRule = (orgId: string): Rule => ({
  id: orgId,
  ...DEFAULT_RULE,
  isDefault: true,
  changed: null,
  changedBy: null,
});

function shown(view: NotificationRuleView): Rule {
  const { id, orgId, name, enabled, when, to, how, dailyHour, zone, quietHours, urgent, required } = view;
  return {
    ...{ id, name, enabled, when, to, how, dailyHour, zone, quietHours, urgent, required },
    isDefault: id === orgId,
    changed: iso(view.changedAt),
    changedBy: view.changedBy,
  };
}
