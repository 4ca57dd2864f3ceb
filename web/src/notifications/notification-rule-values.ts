/** Values of the rule form, and their conversion from and to a rule. */
import {
  ALERT_TYPES,
  CATEGORIES,
  LIMITS,
  NOTICE_TYPES,
  NOTIFICATION_PACES,
  SEVERITIES,
} from '@sentinel-node/contracts';
import type { NotificationRuleFields, NotificationRule } from '../answers.ts';
import { LABEL_LINES, labelsOf, labelsText, namedLabelsError } from '../forms/labels.ts';
import { isEmail, required } from '../forms/rules.ts';
import { isSameContent } from '../forms/same-content.ts';
import type { Errors, ListTexts } from '../forms/use-form.ts';
import { isOneOf } from '../narrow.ts';
import { localZone } from '../time-zone.ts';

export interface QuietValues {
  zone: string;
  hasQuietHours: boolean;
  quietFrom: string;
  quietTo: string;
}

export interface RuleValues extends QuietValues {
  name: string;
  types: readonly string[];
  alertTypes: readonly string[];
  categories: readonly string[];
  deviceIds: readonly string[];
  /** One a line. */
  labels: string;
  severity: string;
  administrators: boolean;
  userIds: readonly string[];
  webhookIds: readonly string[];
  /** One address per line. */
  addresses: string;
  how: string;
  dailyHour: string;
  urgent: boolean;
  required: boolean;
}

/** Returns the defaults of a new rule. */
export const newRule = (): NotificationRuleFields => ({
  name: '',
  enabled: true,
  when: {
    types: ['alert.raised'],
    alertTypes: [],
    deviceIds: [],
    fileIds: [],
    categories: [],
    severity: 'info',
  },
  to: { administrators: true, userIds: [], addresses: [], webhookIds: [] },
  how: 'AT_ONCE',
  dailyHour: 8,
  zone: localZone(),
  quietHours: null,
  urgent: false,
  required: false,
});

export const quietValues = ({
  zone,
  quietHours,
}: Pick<NotificationRuleFields, 'zone' | 'quietHours'>): QuietValues => ({
  zone,
  hasQuietHours: quietHours !== null,
  quietFrom: quietHours?.from ?? '22:00',
  quietTo: quietHours?.to ?? '07:00',
});

export const ruleValues = (rule: NotificationRuleFields): RuleValues => ({
  ...quietValues(rule),
  name: rule.name,
  types: rule.when.types,
  alertTypes: rule.when.alertTypes,
  categories: rule.when.categories,
  deviceIds: rule.when.deviceIds,
  labels: labelsText(rule.when.labels),
  severity: rule.when.severity,
  administrators: rule.to.administrators,
  userIds: rule.to.userIds,
  webhookIds: rule.to.webhookIds,
  addresses: linesText(rule.to.addresses),
  how: rule.how,
  dailyHour: String(rule.dailyHour),
  urgent: rule.urgent,
  required: rule.required,
});

const linesOf = (text: string): string[] =>
  text
    .split(/[\s,;]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

const linesText = (lines: readonly string[]): string => lines.join('\n');

export const ruleLists: ListTexts<RuleValues> = {
  labels: LABEL_LINES,
  addresses: { of: linesOf, text: linesText },
};

export const quietErrors = ({ hasQuietHours, quietFrom, quietTo }: QuietValues): Errors<QuietValues> =>
  hasQuietHours
    ? {
        quietFrom: required(quietFrom, 'A time is required'),
        quietTo: quietFrom === quietTo ? 'Another time is required' : required(quietTo, 'A time is required'),
      }
    : {};

export function ruleErrors(values: RuleValues): Errors<RuleValues> {
  const addresses = linesOf(values.addresses);
  const wrong = addresses.find((address) => !isEmail(address));
  const named = values.userIds.length + values.webhookIds.length + addresses.length;
  const isNobody = !values.administrators && named === 0;
  const tooMany = addresses.length > LIMITS.notificationAddresses;
  return {
    ...quietErrors(values),
    name: required(values.name, 'Name is required'),
    labels: namedLabelsError(values.labels, LIMITS.notificationLabels),
    types: values.types.length === 0 ? 'Choose what is told' : undefined,
    administrators: isNobody ? 'Choose who is told' : undefined,
    addresses:
      wrong !== undefined
        ? `${wrong} is no mail address`
        : tooMany
          ? `At most ${LIMITS.notificationAddresses} addresses`
          : undefined,
  };
}

/** Returns what is chosen in the form. What this page does not know is not in its form, and stays as it was before. */
const chosenOf = <T extends string, B extends string>(
  all: readonly T[],
  chosen: readonly string[],
  before: readonly B[],
): (T | B)[] => [...all.filter((one) => chosen.includes(one)), ...before.filter((one) => !isOneOf(all, one))];

/** Returns the rule from the form's values. @param before provides the fields that the form does not show */
export function ruleFields(values: RuleValues, before: NotificationRuleFields): NotificationRuleFields {
  const { severity, how, administrators } = values;
  return {
    name: values.name.trim(),
    enabled: before.enabled,
    when: {
      types: chosenOf(NOTICE_TYPES, values.types, before.when.types),
      alertTypes: chosenOf(ALERT_TYPES, values.alertTypes, before.when.alertTypes),
      deviceIds: [...values.deviceIds],
      fileIds: before.when.fileIds,
      labels: labelsOf(values.labels),
      categories: chosenOf(CATEGORIES, values.categories, before.when.categories),
      severity: isOneOf(SEVERITIES, severity) ? severity : before.when.severity,
    },
    to: {
      administrators,
      userIds: [...values.userIds],
      addresses: linesOf(values.addresses),
      webhookIds: [...values.webhookIds],
    },
    how: isOneOf(NOTIFICATION_PACES, how) ? how : before.how,
    dailyHour: Number(values.dailyHour),
    ...quietFields(values),
    urgent: values.urgent,
    required: values.required,
  };
}

export const quietFields = ({
  zone,
  hasQuietHours,
  quietFrom,
  quietTo,
}: QuietValues): Pick<NotificationRuleFields, 'zone' | 'quietHours'> => ({
  zone,
  quietHours: hasQuietHours ? { from: quietFrom, to: quietTo } : null,
});

/** Returns whether the rule is what an update would make of it. */
export const isRuleSaved = (fields: NotificationRuleFields, rule: NotificationRule): boolean =>
  isSameContent(fields, fieldsOfRule(rule));

/** Returns the rule's fields for an update request. */
export function fieldsOfRule(rule: NotificationRule): NotificationRuleFields {
  const { name, enabled, when, to, how, dailyHour, zone, quietHours, urgent } = rule;
  return { name, enabled, when, to, how, dailyHour, zone, quietHours, urgent, required: rule.required };
}
