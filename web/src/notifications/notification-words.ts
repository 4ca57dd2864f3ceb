import {
  noticeName,
  noticeWord,
  type NotificationPace,
  type Severity,
  type UnreachedReason,
} from '@sentinel-node/contracts';
import type { NotificationRule, RuleGaps } from '../answers.ts';
import { categoryWord, plural, entryOf, wordFor } from '../format.ts';

export const severityWord: Readonly<Record<Severity, string>> = {
  info: 'Everything',
  warning: 'Warnings and critical',
  critical: 'Critical only',
};

export const paceWord: Readonly<Record<NotificationPace, string>> = {
  AT_ONCE: 'At once',
  GATHERED: 'Gathered for five minutes',
  DAILY: 'Once a day',
};

/** Returns a short text for a rule's recipients. */
export function recipientsText({ to }: Pick<NotificationRule, 'to'>): string {
  const counted = (count: number, one: string, many: string): string[] =>
    count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${many}`];
  return [
    ...(to.administrators ? ['Administrators'] : []),
    ...counted(to.userIds.length, 'person', 'people'),
    ...counted(to.addresses.length, 'address', 'addresses'),
    ...counted(to.webhookIds.length, 'webhook', 'webhooks'),
  ].join(', ');
}

/** Returns what a rule names and cannot tell, one sentence each; none for a rule without gaps. */
export function gapTexts({ gaps, to }: Pick<NotificationRule, 'gaps' | 'to'>): string[] {
  const of = (ids: readonly string[]) => gaps.notReached.filter(({ id }) => ids.includes(id));
  const texts = (found: readonly RuleGaps['notReached'][number][], one: string, many?: string): string[] =>
    [...new Set(found.map(({ why }) => why))].sort().map((why) => {
      const count = found.filter((other) => other.why === why).length;
      return `${plural(count, one, many)} ${unreachedWordOf(why)}`;
    });
  const isAnyLeft =
    to.administrators ||
    to.addresses.length > 0 ||
    gaps.notReached.length < to.userIds.length + to.webhookIds.length;
  return [
    ...texts(of(to.userIds), 'person', 'people'),
    ...texts(of(to.webhookIds), 'webhook'),
    ...(gaps.tellsNobody && isAnyLeft ? ['Mails are switched off by everybody whom it names'] : []),
    ...(gaps.neverTold.length === 0
      ? []
      : [`Never met: ${gaps.neverTold.map((type) => noticeName(type)).join(', ')}`]),
  ];
}

const unreachedWord: Readonly<Record<UnreachedReason, string>> = {
  DELETED: 'deleted',
  DISABLED: 'disabled',
  NOT_ACTIVE: 'not active yet',
};

const unreachedWordOf = (why: string): string =>
  entryOf(unreachedWord, why) ?? `not told: ${wordFor({}, why)}`;

/** Returns the notices of a rule in few words, with each limit by which two rules of the same notices may differ. */
export function ruleSummary({ when }: Pick<NotificationRule, 'when'>): string {
  const { types, alertTypes, deviceIds, fileIds, labels = [], categories, severity } = when;
  const [first = '', second = ''] = types.map((type) => (type === 'test' ? '' : wordFor(noticeWord, type)));
  const more = types.length > 2 ? ` and ${types.length - 1} more` : '';
  const told =
    types.length === 2 ? `${first}, ${second.charAt(0).toLowerCase()}${second.slice(1)}` : first + more;
  const counted = (count: number, one: string, many?: string): string[] =>
    count === 0 ? [] : [plural(count, one, many)];
  const limits = [
    ...(severity === 'info' ? [] : [wordFor(severityWord, severity).toLowerCase()]),
    ...counted(alertTypes.length, 'type of alert', 'types of alert'),
    ...categories.map((category) => wordFor(categoryWord, category).toLowerCase()),
    ...counted(deviceIds.length, 'device'),
    ...counted(fileIds.length, 'file'),
    ...labels,
  ];
  return limits.length === 0 ? told : `${told}: ${limits.join(', ')}`;
}
