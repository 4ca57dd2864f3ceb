/** Who is told of what happens in an organisation, and what they were told. */
import type { NoticeType, NotificationRule, NotificationRuleFields } from '@sentinel-node/contracts';
import type { WebhookReceiver } from '@sentinel-node/test-kit/test-servers';
import { call, type ApiServer, type Member } from './client.ts';

export interface ToldAlert {
  /** Of the notice. */
  readonly id: string;
  readonly type: string;
  readonly alertId: string;
  readonly fileId: string;
  readonly body: string;
}

/** A webhook of the member's organisation. @returns its id */
export async function webhookTo(member: Member, url: string, name = 'Receiver'): Promise<string> {
  const { id } = await member.done('POST', `/webhooks/${member.orgId}`, { name, shape: 'cloudevents', url });
  return id as string;
}

/** The rule that every organisation has, without its id. */
export async function defaultRule(member: Member): Promise<NotificationRuleFields> {
  const { rules } = await member.done('GET', `/notifications/rules/${member.orgId}`);
  const {
    id: _,
    isDefault: __,
    changed: ___,
    changedBy: ____,
    ...fields
  } = (rules as NotificationRule[])[0]!;
  return fields;
}

/** From now on it tells these webhooks too. */
export async function tellWebhooks(
  member: Member,
  webhookIds: readonly string[],
  types: readonly NoticeType[] = ['alert.raised'],
): Promise<void> {
  const rule = await defaultRule(member);
  const fields = { ...rule, when: { ...rule.when, types: [...types] }, to: { ...rule.to, webhookIds } };
  await member.done('PUT', `/notifications/rules/${member.orgId}/${member.orgId}`, fields);
}

/** What a receiver was told of alerts, as it came. */
export function alertsTold({ messages }: WebhookReceiver): ToldAlert[] {
  return messages.flatMap(({ headers, body }) => {
    const { type, data } = JSON.parse(body) as {
      type: string;
      data: { alert?: { id: string }; file?: { id: string } };
    };
    if (data.alert === undefined || data.file === undefined) return [];
    return [{ id: headers['webhook-id'] ?? '', type, alertId: data.alert.id, fileId: data.file.id, body }];
  });
}

export interface ToldMail {
  /** The same each time that the mail is sent. */
  readonly messageId?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Of the last 500 mails those to an address, the newest first. */
export async function mailsTo(server: ApiServer, address: string): Promise<ToldMail[]> {
  const { body } = await call(server, 'GET', '/dev-mail/messages');
  return (body as ToldMail[]).filter(({ to }) => to === address);
}
