/** Sets the receivers of an organisation's notices and reads the received notices. */
import type { NoticeType, NotificationRule, NotificationRuleFields } from '@sentinel-node/contracts';
import type { WebhookReceiver } from '@sentinel-node/test-kit/test-servers';
import { call, type ApiServer, type Member } from './client.ts';

export interface ToldAlert {
  /** Id of the notice. */
  readonly id: string;
  readonly type: string;
  readonly alertId: string;
  readonly fileId: string;
  readonly body: string;
}

/** Makes a webhook in the member's organisation. @returns its id */
export async function webhookTo(member: Member, url: string, name = 'Receiver'): Promise<string> {
  const { id } = await member.done('POST', `/webhooks/${member.orgId}`, { name, shape: 'cloudevents', url });
  return id as string;
}

/** Returns the default rule of the member's organisation, without its id. */
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

/** Makes the default rule send these types of notices to these webhooks. */
export async function tellWebhooks(
  member: Member,
  webhookIds: readonly string[],
  types: readonly NoticeType[] = ['alert.raised'],
): Promise<void> {
  const rule = await defaultRule(member);
  const fields = { ...rule, when: { ...rule.when, types: [...types] }, to: { ...rule.to, webhookIds } };
  await member.done('PUT', `/notifications/rules/${member.orgId}/${member.orgId}`, fields);
}

/** Returns a receiver's notices about alerts in order of arrival. */
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
  /** Id of the mail; a repeated mail has the same id. */
  readonly messageId?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the mails to an address among the last 500 mails, newest first; none while the service is too busy to say. */
export async function mailsTo(server: ApiServer, address: string): Promise<ToldMail[]> {
  const { status, body } = await call(server, 'GET', '/dev-mail/messages');
  if (status === 503) return [];
  return (body as ToldMail[]).filter(({ to }) => to === address);
}
