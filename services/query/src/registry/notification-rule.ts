/** Rules of notifications, as people change them. Pure: time and ids come in. */
import type { NotificationRuleEntity, NotificationRuleFields } from '@sentinel-node/contracts';
import { invalid, refuse, UNCHANGED, type Decision, type EventDraft, type Stamp } from './decision.ts';
import { changedFields } from './files.ts';
import { NEVER_MET, neverTold } from './never-told.ts';
import { note } from './notes.ts';

/** The rule of every organisation until somebody changes it. */
export const DEFAULT_RULE: NotificationRuleFields = {
  name: 'New alerts and lost devices',
  enabled: true,
  when: {
    types: ['alert.raised', 'device.lost'],
    alertTypes: [],
    deviceIds: [],
    fileIds: [],
    categories: [],
    severity: 'info',
  },
  to: { administrators: true, userIds: [], addresses: [], webhookIds: [] },
  how: 'AT_ONCE',
  dailyHour: 8,
  zone: 'UTC',
  quietHours: null,
  urgent: false,
  required: false,
};

interface Subject {
  readonly id: string;
  readonly orgId: string;
}

export type NotificationRuleCommand =
  | { readonly type: 'MAKE'; readonly of: Subject; readonly fields: NotificationRuleFields }
  | { readonly type: 'CHANGE'; readonly of: Subject; readonly fields: NotificationRuleFields }
  | { readonly type: 'DELETE'; readonly of: Subject };

/** Decides a command. The default rule has the id of its organisation, and exists without a command. */
export function decideNotificationRule(
  command: NotificationRuleCommand,
  rule: NotificationRuleEntity | undefined,
  stamp: Stamp,
): Decision<NotificationRuleEntity> {
  const { of } = command;
  if (command.type === 'MAKE')
    return rule === undefined
      ? (problemOf(command.fields) ?? changed(of, command.fields, 'CREATE_NOTIFICATION_RULE', stamp))
      : refuse('CONFLICT');
  const before = rule ?? (of.id === of.orgId ? DEFAULT_RULE : undefined);
  if (before === undefined || rule?.deleted === true || (rule !== undefined && rule.orgId !== of.orgId))
    return refuse('NOT_FOUND');
  if (command.type === 'DELETE')
    return changed(of, fieldsOf(before), 'DELETE_NOTIFICATION_RULE', stamp, { deleted: true });
  const names = changedNames(fieldsOf(before), command.fields);
  if (names.length === 0) return UNCHANGED;
  return (
    problemOf(command.fields) ??
    changed(of, command.fields, 'MODIFY_NOTIFICATION_RULE', stamp, { changed: names })
  );
}

const fieldsOf = (rule: NotificationRuleFields): NotificationRuleFields => {
  const { name, enabled, when, to, how, dailyHour, zone, quietHours, urgent, required } = rule;
  return { name, enabled, when, to, how, dailyHour, zone, quietHours, urgent, required };
};

function changedNames(before: NotificationRuleFields, after: NotificationRuleFields): string[] {
  const asText = (rule: NotificationRuleFields): Record<string, string> =>
    Object.fromEntries(Object.entries(rule).map(([name, value]) => [name, JSON.stringify(value)]));
  return changedFields(asText(before), asText(fieldsOf(after)));
}

function problemOf({
  when,
  to,
  zone,
  quietHours,
}: NotificationRuleFields): ReturnType<typeof invalid> | undefined {
  const named = [to.userIds, to.addresses, to.webhookIds].some((ids) => ids.length > 0);
  if (!named && !to.administrators) return invalid({ path: '/to', message: 'names nobody' });
  if (neverTold(when).length === when.types.length) return invalid({ path: '/when', message: NEVER_MET });
  return scheduleProblem({ zone, quietHours });
}

/** Checks the schedule of a rule or of a person's setting. */
export function scheduleProblem({
  zone,
  quietHours,
}: Pick<NotificationRuleFields, 'zone' | 'quietHours'>): ReturnType<typeof invalid> | undefined {
  if (!isZone(zone)) return invalid({ path: '/zone', message: 'is no time zone' });
  if (quietHours !== null && quietHours.from === quietHours.to)
    return invalid({ path: '/quietHours/to', message: 'must differ from the beginning' });
  return undefined;
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function changed(
  { id, orgId }: Subject,
  fields: NotificationRuleFields,
  type: EventDraft['type'],
  { at, by }: Stamp,
  { deleted = false, ...what }: { readonly deleted?: boolean; readonly changed?: readonly string[] } = {},
): Decision<NotificationRuleEntity> {
  const entity: NotificationRuleEntity = {
    kind: 'NOTIFICATION_RULE',
    id,
    orgId,
    ...fieldsOf(fields),
    changedAt: at,
    changedBy: by?.email ?? '',
    deleted,
  };
  const text = note(by, { rule: fields.name, ...what });
  const event: EventDraft = { type, deviceId: null, fileId: null, note: text };
  return { kind: 'changed', entity, events: [event], policies: [] };
}
