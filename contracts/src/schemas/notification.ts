/** Notification rules of an organisation, and the mail settings of each person. */
import { Type, type Static } from 'typebox';
import { AlertTypeSchema, CategorySchema, oneOf } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { LabelSchema } from './labels.ts';
import {
  closed,
  CountSchema,
  EmailSchema,
  NameSchema,
  nullable,
  TimestampSchema,
  UuidSchema,
} from './common.ts';

export const NOTICE_TYPES = [
  'alert.raised',
  'alert.handled',
  'alert.continued',
  'device.lost',
  'device.returned',
  'file.lost',
  'file.returned',
  'agent.blind',
  'monitoring.stopped',
  'chain.reset',
  'device.deleted',
  'file.deleted',
  'key.rotated',
  'evidence.failed',
  'funds.low',
  'funds.restored',
  'anchoring.stopped',
  'anchoring.resumed',
  'test',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** From the least to the most severe. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const NOTIFICATION_PACES = ['AT_ONCE', 'GATHERED', 'DAILY'] as const;
/** AT_ONCE: one mail per notice, while there are few. GATHERED: one mail per five minutes. DAILY: one mail a day. */
export type NotificationPace = (typeof NOTIFICATION_PACES)[number];

const TimeOfDaySchema = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'hours:minutes' });
const ZoneSchema = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'time zone of the IANA database, such as Europe/Berlin',
});
const ids = (description: string) =>
  Type.Array(UuidSchema, { maxItems: LIMITS.notificationSubjects, description });

/** Mails wait until `to`. If `to` lies before `from`, it is on the next day. */
const QuietHoursSchema = closed({ from: TimeOfDaySchema, to: TimeOfDaySchema });
export type QuietHours = Static<typeof QuietHoursSchema>;

export const notificationRuleFields = {
  name: NameSchema,
  enabled: Type.Boolean(),
  when: closed({
    types: Type.Array(oneOf(NOTICE_TYPES), { minItems: 1, maxItems: NOTICE_TYPES.length }),
    alertTypes: Type.Array(AlertTypeSchema, { maxItems: 20, description: 'of alerts; none: all' }),
    deviceIds: ids('none: all'),
    fileIds: ids('none: all'),
    labels: Type.Optional(
      Type.Array(LabelSchema, {
        maxItems: LIMITS.notificationLabels,
        uniqueItems: true,
        description: 'of devices and files, as they are when it is told; none: all',
      }),
    ),
    categories: Type.Array(CategorySchema, { maxItems: 3, description: 'none: all' }),
    severity: oneOf(SEVERITIES, 'the least'),
  }),
  to: closed({
    administrators: Type.Boolean({ description: 'whoever is one then' }),
    userIds: Type.Array(UuidSchema, { maxItems: LIMITS.notificationRecipients }),
    addresses: Type.Array(EmailSchema, { maxItems: LIMITS.notificationAddresses }),
    webhookIds: Type.Array(UuidSchema, { maxItems: LIMITS.notificationAddresses }),
  }),
  how: oneOf(NOTIFICATION_PACES),
  /** Hour of the daily summary, in `zone`. */
  dailyHour: Type.Integer({ minimum: 0, maximum: 23 }),
  zone: ZoneSchema,
  quietHours: nullable(QuietHoursSchema),
  urgent: Type.Boolean({ description: 'mails come in quiet hours too' }),
  required: Type.Boolean({
    description:
      'people of the organization cannot switch these mails off; addresses without a user always can',
  }),
};
export const NotificationRuleFieldsSchema = closed(notificationRuleFields);
export type NotificationRuleFields = Static<typeof NotificationRuleFieldsSchema>;

export const UNREACHED_REASONS = ['DELETED', 'DISABLED', 'NOT_ACTIVE'] as const;
/** DISABLED: a webhook. NOT_ACTIVE: a person who has not confirmed the invitation. */
export type UnreachedReason = (typeof UNREACHED_REASONS)[number];

/** Names in a rule that it cannot report at the time of the read. */
const RuleGapsSchema = closed({
  tellsNobody: Type.Boolean({
    description:
      'none of those whom the rule names is told: each is in `notReached`, or has switched these mails off',
  }),
  notReached: Type.Array(closed({ id: UuidSchema, why: oneOf(UNREACHED_REASONS) }), {
    description: 'people and webhooks of `to` that are not told',
  }),
  neverTold: Type.Array(oneOf(NOTICE_TYPES), {
    description:
      'types that the severity, the categories or the files of the rule exclude, or whose devices and files are all deleted',
  }),
});
export type RuleGaps = Static<typeof RuleGapsSchema>;

export const NotificationRuleSchema = closed({
  id: UuidSchema,
  ...notificationRuleFields,
  gaps: RuleGapsSchema,
  isDefault: Type.Boolean({ description: 'every organization has it until it is changed or deleted' }),
  changed: nullable(TimestampSchema),
  changedBy: nullable(Type.String({ description: 'e-mail of then' })),
});
export type NotificationRule = Static<typeof NotificationRuleSchema>;

/** REFUSED: the server refuses the mail, such as one to an address that does not exist. */
export const UNDELIVERED_REASONS = ['REFUSED', 'NOT_TAKEN'] as const;
/** A mail of the organisation, of whatever kind, that the mail server did not take. `givenUp` null: it waits. */
export const UndeliveredMailSchema = closed({
  to: Type.String(),
  subject: Type.String(),
  made: TimestampSchema,
  why: oneOf(UNDELIVERED_REASONS),
  givenUp: nullable(TimestampSchema),
});
export type UndeliveredMail = Static<typeof UndeliveredMailSchema>;

export const NotificationRulesSchema = closed({
  rules: Type.Array(NotificationRuleSchema),
  undelivered: Type.Array(UndeliveredMailSchema),
  undeliveredBesides: Type.Optional(
    closed(
      {
        mails: CountSchema,
        atLeast: Type.Boolean({
          description: 'true: others can have been given up, of which nothing is kept',
        }),
      },
      { description: 'mails that were not delivered either. Absent: none' },
    ),
  ),
});
export type NotificationRules = Static<typeof NotificationRulesSchema>;

/** Mail settings of one person. */
export const NotificationSettingSchema = closed({
  mails: Type.Boolean({ description: 'false: only those of required rules' }),
  zone: ZoneSchema,
  quietHours: nullable(QuietHoursSchema),
});
export type NotificationSetting = Static<typeof NotificationSettingSchema>;

/** RFC 8058 section 3.1. */
export const UnsubscribeSchema = closed({ 'List-Unsubscribe': Type.Literal('One-Click') });
