import {
  keysOf,
  UNREACHED_REASONS,
  type NoticeType,
  type NotificationPace,
  type NotificationRule,
  type RuleGaps,
  type Severity,
  type UnreachedReason,
} from '@sentinel-node/contracts';
import { plural } from '../format.ts';
import { isOneOf } from '../narrow.ts';

/** Notice types in words, in the order in which a rule offers them. */
export const noticeWord: Readonly<Record<Exclude<NoticeType, 'test'>, string>> = {
  'alert.raised': 'A new alert',
  'alert.handled': 'An alert was dismissed',
  'alert.continued': 'An alert occurred 10, 100, 1,000 … times',
  'chain.reset': 'A chain was reset',
  'device.lost': 'A device is lost',
  'device.returned': 'A device is back',
  'file.lost': 'A file is lost',
  'file.returned': 'A file is back',
  'agent.blind': 'An agent does not look at a file',
  'monitoring.stopped': 'Monitoring was switched off',
  'device.deleted': 'A device was deleted',
  'file.deleted': 'A file was deleted',
  'key.rotated': 'A key was replaced',
  'evidence.failed': 'Recorded data contradict what was anchored',
  'funds.low': 'Funds for anchoring are low',
  'funds.restored': 'There are funds for anchoring again',
  'anchoring.stopped': 'Anchoring stopped',
  'anchoring.resumed': 'Anchoring goes on',
};

export const offeredNotices = keysOf(noticeWord);

/** Returns the type of a sent notice in words; as it is when a later version sent it. */
export const noticeName = (type: string): string =>
  isOneOf(offeredNotices, type) ? noticeWord[type] : type === 'test' ? 'A test' : type;

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
    UNREACHED_REASONS.flatMap((why) => {
      const count = found.filter((other) => other.why === why).length;
      return count === 0 ? [] : [`${plural(count, one, many)} ${unreachedWord[why]}`];
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

/** What a rule tells, in few words. */
export function ruleSummary({ when: { types, labels = [] } }: Pick<NotificationRule, 'when'>): string {
  const [first = '', second = ''] = types.map((type) => (type === 'test' ? '' : noticeWord[type]));
  const more = types.length > 2 ? ` and ${types.length - 1} more` : '';
  const told =
    types.length === 2 ? `${first}, ${second.charAt(0).toLowerCase()}${second.slice(1)}` : first + more;
  return labels.length === 0 ? told : `${told}, of ${labels.join(', ')}`;
}
