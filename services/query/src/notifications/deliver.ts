/** Gives notices to the recipients that the rules name. */
import type { NotificationSetting } from '@sentinel-node/contracts';
import { inLanes, type Clock, type DocumentStore, type Log } from '@sentinel-node/platform';
import { administratorsOf } from './administrators.ts';
import { labelsOf } from './labels.ts';
import { canBeRequired, type Addition, type LogPlace, type Recipient, type Waiting } from './mailbox.ts';
import type { MailboxWriter } from './mailboxes.ts';
import { meetsRule } from './matching.ts';
import type { Notice, NoticeTargets } from './notice.ts';
import { readRules, type Rule } from './rules.ts';
import { dueAt, hoursOf, joinedHours } from './schedule.ts';
import { addressRecipient, settingsOf, userRecipient } from './settings.ts';
import type { NoticeStream } from './topic.ts';

export interface DeliveryContext {
  readonly store: DocumentStore;
  /** Returns the store for calls that one organisation causes. */
  readonly storeOf: (orgId: string) => DocumentStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly mailboxes: Pick<MailboxWriter, 'add'>;
  /** Absent when there are no webhooks. */
  readonly webhooks?: NoticeTargets;
  /** Absent when the operator wants no topic of notices. */
  readonly stream?: NoticeStream;
}

/** A notice and the position of the record that caused it. */
export interface SourcedNotice {
  readonly notice: Notice;
  readonly place?: LogPlace;
}

/** Organisations whose notices of one batch are delivered at the same time. */
const ORGANIZATIONS_AT_ONCE = 4;

/** Ids of notices in one log line, at most. */
const LOGGED_IDS = 20;

interface Match extends SourcedNotice {
  readonly rule: Rule;
}

/** Delivers notices; durable when it resolves. A notice that was delivered before is not delivered again. */
export async function deliver(context: DeliveryContext, found: readonly SourcedNotice[]): Promise<void> {
  await context.stream?.publish(found.filter(isForPeople).map(({ notice }) => notice));
  const organizations = [...new Set(found.map(({ notice }) => notice.orgId))];
  // Side by side, so that no organisation waits for the webhooks and mailboxes of another one.
  await inLanes(ORGANIZATIONS_AT_ONCE, organizations, (orgId) =>
    deliverOf(
      context,
      orgId,
      found.filter(({ notice }) => notice.orgId === orgId),
    ),
  );
}

/** People, and programs without incidents, hear that monitoring was switched off from its own notice. */
const isForPeople = ({ notice }: SourcedNotice): boolean => notice.ends !== true;

async function deliverOf(
  context: DeliveryContext,
  orgId: string,
  found: readonly SourcedNotice[],
): Promise<void> {
  const store = context.storeOf(orgId);
  const rules = await readRules(store, orgId);
  const notices = found.map(({ notice }) => notice);
  const labels = await labelsOf(store, rules, notices);
  const matches = found.flatMap((one) =>
    rules
      .filter((rule) => meetsRule(rule, one.notice, labels(one.notice)))
      .map((rule): Match => ({ ...one, rule })),
  );
  if (matches.length === 0) return;
  await inLanes(2, [toWebhooks, toMailboxes], (give) => give({ ...context, store }, orgId, matches));
}

async function toMailboxes(
  { store, clock, mailboxes }: DeliveryContext,
  orgId: string,
  all: readonly Match[],
): Promise<void> {
  const matches = all.filter(isForPeople);
  if (matches.length === 0) return;
  const recipientsOf = await recipientsByRule(store, orgId, new Set(matches.map(({ rule }) => rule)));
  const byRecipient = new Map<string, { recipient: Recipient; own: Match[] }>();
  for (const match of matches)
    for (const recipient of recipientsOf.get(match.rule) ?? []) {
      const existing = byRecipient.get(recipient.id);
      if (existing === undefined) byRecipient.set(recipient.id, { recipient, own: [match] });
      else existing.own.push(match);
    }
  const settings = await settingsOf(
    store,
    [...byRecipient.values()].map(({ recipient }) => recipient),
  );
  const now = clock.now();
  const given = [...byRecipient].map(([id, { recipient, own }]) => ({
    recipient,
    additions: additionsOf(recipient, own, settings.get(id), now),
  }));
  await mailboxes.add(given.filter(({ additions }) => additions.length > 0));
}

/**
 * Merges the rules that match one notice: the earliest time wins, and one rule that requires it is enough.
 */
function additionsOf(
  recipient: Recipient,
  matches: readonly Match[],
  setting: NotificationSetting | undefined,
  now: number,
): Addition[] {
  const additions = new Map<string, Addition>();
  for (const { notice, rule, place } of matches) {
    const { name, how } = rule;
    const required = rule.required && canBeRequired(recipient);
    if (setting?.mails === false && !required) continue;
    const due = dueAt(now, rule, setting);
    const before = additions.get(notice.id)?.waiting;
    const hours = hoursOf(rule);
    const one: Waiting = {
      notice,
      rule: name,
      required,
      single: how === 'AT_ONCE',
      addedAt: now,
      dueAt: due,
    };
    const first = before !== undefined && before.dueAt <= due ? before : one;
    const waiting = {
      ...withHours(first, before === undefined ? hours : joinedHours(before.hours, hours)),
      required: required || before?.required === true,
    };
    additions.set(notice.id, { waiting, ...(place === undefined ? {} : { place }) });
  }
  return [...additions.values()];
}

function withHours({ hours: _, ...waiting }: Waiting, hours: Waiting['hours']): Waiting {
  return hours === undefined ? waiting : { ...waiting, hours };
}

async function recipientsByRule(
  store: DocumentStore,
  orgId: string,
  rules: ReadonlySet<Rule>,
): Promise<Map<Rule, Recipient[]>> {
  const areAsked = [...rules].some(({ to }) => to.administrators);
  const administrators = areAsked ? await administratorsOf(store, orgId) : [];
  const recipients = ({ to }: Rule): Recipient[] => {
    const userIds = new Set([...(to.administrators ? administrators : []), ...to.userIds]);
    return [
      ...[...userIds].map((id) => userRecipient(orgId, id)),
      ...to.addresses.map((address) => addressRecipient(orgId, address)),
    ];
  };
  return new Map([...rules].map((rule) => [rule, recipients(rule)]));
}

/**
 * Gives notices to webhooks without delay, even in quiet hours. The notices of all webhooks are written
 * together, so that a storm in one organisation delays the others little.
 */
async function toWebhooks(
  { webhooks, log }: DeliveryContext,
  orgId: string,
  matches: readonly Match[],
): Promise<void> {
  if (webhooks === undefined) return;
  const byWebhook = new Map<string, Map<string, Notice>>();
  for (const { notice, rule } of matches)
    for (const id of rule.to.webhookIds) {
      const given = byWebhook.get(id);
      if (given === undefined) byWebhook.set(id, new Map([[notice.id, notice]]));
      else given.set(notice.id, notice);
    }
  if (byWebhook.size === 0) return;
  const notices = new Map([...byWebhook].map(([id, given]) => [id, [...given.values()]]));
  const leftOut = await webhooks.enqueueAll(orgId, notices);
  for (const [webhookId, count] of leftOut) {
    // A full queue of one organisation must not delay the others.
    const noticeIds = notices
      .get(webhookId)!
      .slice(-count)
      .map(({ id }) => id);
    const about = { orgId, webhookId, leftOut: count, noticeIds: noticeIds.slice(0, LOGGED_IDS) };
    log.error(about, 'a webhook has too much waiting; notices were left out');
  }
}
