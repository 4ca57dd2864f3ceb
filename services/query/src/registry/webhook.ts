/** Webhooks. Pure: time, id and the sealed target come in. */
import { lastingKeys, LIMITS } from '@sentinel-node/contracts';
import type { CreateWebhook, UpdateWebhook, WebhookEntity } from '@sentinel-node/contracts';
import { refuse, UNCHANGED, type Decision, type EventDraft, type Stamp } from './decision.ts';
import { note } from './notes.ts';
import { tooManyReplaced } from './replaced-keys.ts';

const HOUR_MS = 3_600_000;

/** URL and routing key as stored. */
export type SealedTarget = Pick<WebhookEntity, 'sealedTarget' | 'shownUrl'>;

export type WebhookCommand =
  | {
      readonly type: 'MAKE';
      readonly id: string;
      readonly orgId: string;
      readonly fields: Pick<CreateWebhook, 'name' | 'shape'>;
      readonly target: SealedTarget;
    }
  | {
      readonly type: 'CHANGE';
      readonly fields: Pick<UpdateWebhook, 'name' | 'enabled'>;
      /** Absent to keep the target. */
      readonly target?: SealedTarget;
    }
  | { readonly type: 'ROTATE' }
  /**
   * The receiver answered 410.
   * @param sealedTarget of the URL that was called
   * @param rules names of the rules that are on and name the webhook
   */
  | { readonly type: 'GONE'; readonly sealedTarget: string; readonly rules: readonly string[] }
  /** A person sends dead letters again. */
  | { readonly type: 'RESEND'; readonly deadLetters: number }
  /** @param rules as for GONE */
  | { readonly type: 'DELETE'; readonly rules: readonly string[] };

export function decideWebhook(
  command: WebhookCommand,
  webhook: WebhookEntity | undefined,
  stamp: Stamp,
): Decision<WebhookEntity> {
  if (command.type === 'MAKE') return webhook === undefined ? make(command, stamp) : refuse('CONFLICT');
  if (webhook === undefined) return refuse('NOT_FOUND');
  // An answer of 410 can arrive after the deletion.
  const isOver = command.type === 'DELETE' || command.type === 'GONE';
  if (webhook.deleted) return isOver ? UNCHANGED : refuse('NOT_FOUND');
  switch (command.type) {
    case 'CHANGE':
      return change(command, webhook, stamp);
    case 'ROTATE':
      return rotate(webhook, stamp);
    case 'GONE':
      return gone(webhook, command, stamp);
    case 'RESEND':
      return changed(
        webhook,
        'RESEND_WEBHOOK_NOTICES',
        note(stamp.by, { webhook: webhook.name, deadLetters: command.deadLetters }),
      );
    case 'DELETE':
      return changed(
        { ...webhook, deleted: true, enabled: false },
        'DELETE_WEBHOOK',
        note(stamp.by, { webhook: webhook.name, ...rulesIn(command.rules) }),
      );
  }
}

/** Returns the valid versions of the secret, newest first. @param now milliseconds since the Unix epoch */
export function validSecrets(
  {
    secretVersion,
    previousSecret,
    earlierSecrets,
  }: Pick<WebhookEntity, 'secretVersion' | 'previousSecret' | 'earlierSecrets'>,
  now: number,
): readonly number[] {
  return [secretVersion, ...lastingKeys(previousSecret, earlierSecrets, now).map(({ version }) => version)];
}

function make(
  { id, orgId, fields: { name, shape }, target }: Extract<WebhookCommand, { type: 'MAKE' }>,
  { at, by }: Stamp,
): Decision<WebhookEntity> {
  const entity: WebhookEntity = {
    kind: 'WEBHOOK',
    id,
    orgId,
    name,
    shape,
    sealedTarget: target.sealedTarget,
    shownUrl: target.shownUrl,
    enabled: true,
    disabledBecause: null,
    secretVersion: 1,
    previousSecret: null,
    creationDate: at,
    createdBy: by?.email ?? '',
    deleted: false,
  };
  return changed(entity, 'CREATE_WEBHOOK', note(by, { webhook: name, shape, url: target.shownUrl }));
}

function change(
  { fields, target }: Extract<WebhookCommand, { type: 'CHANGE' }>,
  webhook: WebhookEntity,
  { by }: Stamp,
): Decision<WebhookEntity> {
  const { name = webhook.name, enabled = webhook.enabled } = fields;
  const isSwitched = enabled !== webhook.enabled;
  const what = [
    ...(name === webhook.name ? [] : [`name from ${webhook.name} to ${name}`]),
    // A target with the same shown URL can have another secret part.
    ...(target === undefined ? [] : [`URL from ${webhook.shownUrl} to ${target.shownUrl}`]),
    ...(isSwitched ? [enabled ? 'enabled' : 'disabled'] : []),
  ];
  if (what.length === 0) return UNCHANGED;
  const entity: WebhookEntity = {
    ...webhook,
    ...target,
    name,
    enabled,
    disabledBecause: isSwitched ? (enabled ? null : 'PERSON') : webhook.disabledBecause,
  };
  return changed(entity, 'MODIFY_WEBHOOK', note(by, { webhook: name, changed: what }));
}

function rotate(webhook: WebhookEntity, { at, by }: Stamp): Decision<WebhookEntity> {
  const { previousSecret, earlierSecrets, ...others } = webhook;
  const lasting = lastingKeys(previousSecret, earlierSecrets, at);
  const tooMany = tooManyReplaced(lasting, 'secrets that were replaced are still valid', 'Wait until then.');
  if (tooMany !== undefined) return tooMany;
  const validUntil = at + LIMITS.webhookSecretOverlapHours * HOUR_MS;
  const entity: WebhookEntity = {
    ...others,
    secretVersion: webhook.secretVersion + 1,
    previousSecret: { version: webhook.secretVersion, validUntil },
    ...(lasting.length > 0 && { earlierSecrets: lasting }),
  };
  const what = { webhook: webhook.name, previousValidUntil: new Date(validUntil).toISOString() };
  return changed(entity, 'ROTATE_WEBHOOK_SECRET', note(by, what));
}

/** The history says who is no longer told: a rule can name a webhook that is gone. */
const rulesIn = (rules: readonly string[]): { readonly rules?: readonly string[] } =>
  rules.length === 0 ? {} : { rules };

function gone(
  webhook: WebhookEntity,
  { sealedTarget, rules }: Extract<WebhookCommand, { type: 'GONE' }>,
  { by }: Stamp,
): Decision<WebhookEntity> {
  // The answer says nothing of the URL that the webhook has got meanwhile.
  if (!webhook.enabled || webhook.sealedTarget !== sealedTarget) return UNCHANGED;
  const entity: WebhookEntity = { ...webhook, enabled: false, disabledBecause: 'GONE' };
  const what = { webhook: webhook.name, reason: 'the receiver answered 410 Gone', ...rulesIn(rules) };
  return changed(entity, 'DISABLE_WEBHOOK', note(by, what));
}

function changed(entity: WebhookEntity, type: EventDraft['type'], text: string): Decision<WebhookEntity> {
  const event = { type, deviceId: null, fileId: null, note: text };
  return { kind: 'changed', entity, events: [event], policies: [] };
}
