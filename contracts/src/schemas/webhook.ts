/** Webhooks: signed notices to receivers that an administrator names. */
import { Type, type Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import {
  closed,
  CountSchema,
  EmailSchema,
  NameSchema,
  nullable,
  TimestampSchema,
  UuidSchema,
} from './common.ts';

/** The form of the body that a receiver gets. */
export const WEBHOOK_SHAPES = ['cloudevents', 'slack', 'teams', 'pagerduty', 'ocsf'] as const;
export const WebhookShapeSchema = oneOf(WEBHOOK_SHAPES);
export type WebhookShape = (typeof WEBHOOK_SHAPES)[number];

/** The one that switched a webhook off: a person, or its receiver, which answered 410 Gone. */
export const WEBHOOK_DISABLED = ['PERSON', 'GONE'] as const;
export const WebhookDisabledSchema = oneOf(WEBHOOK_DISABLED);
export type WebhookDisabled = (typeof WEBHOOK_DISABLED)[number];

const UrlSchema = Type.String({
  minLength: 1,
  maxLength: LIMITS.webhookUrlCharacters,
  description: 'https; without user, password and fragment',
});
/** Letters and digits, as PagerDuty gives it. */
const RoutingKeySchema = Type.String({ pattern: '^[0-9A-Za-z]{1,64}$', description: 'of PagerDuty only' });

export const CreateWebhookSchema = closed({
  name: NameSchema,
  url: UrlSchema,
  shape: WebhookShapeSchema,
  routingKey: Type.Optional(RoutingKeySchema),
});
export type CreateWebhook = Static<typeof CreateWebhookSchema>;

/** Absent members stay unchanged. */
export const UpdateWebhookSchema = closed(
  {
    name: Type.Optional(NameSchema),
    url: Type.Optional(UrlSchema),
    routingKey: Type.Optional(RoutingKeySchema),
    enabled: Type.Optional(Type.Boolean()),
  },
  { minProperties: 1 },
);
export type UpdateWebhook = Static<typeof UpdateWebhookSchema>;

const SecretSchema = Type.String({ description: '`whsec_` and base64 of 32 bytes (Standard Webhooks)' });

/** Only this response and that of a rotation contain the secret. */
export const CreatedWebhookSchema = closed({ id: UuidSchema, secret: SecretSchema });
export type CreatedWebhook = Static<typeof CreatedWebhookSchema>;
export const RotatedWebhookSchema = closed({
  secret: SecretSchema,
  /** Until then each message is signed with both secrets. */
  previousValidUntil: TimestampSchema,
});
export type RotatedWebhook = Static<typeof RotatedWebhookSchema>;

/** One attempt; the receiver accepted the notice if its response was 2xx. */
const AttemptSchema = closed({
  at: TimestampSchema,
  delivered: Type.Boolean(),
  status: nullable(Type.Integer({ description: 'of the answer; null: there was none' })),
  problem: nullable(Type.String()),
});

/** Count, and times of the first and last notice left out. All start anew after a day without one. */
const LeftOutSchema = closed({ notices: CountSchema, since: TimestampSchema, last: TimestampSchema });

export const WebhookSchema = closed({
  id: UuidSchema,
  name: NameSchema,
  shape: WebhookShapeSchema,
  url: Type.String({ description: 'without the parts that are secret at the service' }),
  enabled: Type.Boolean(),
  disabledBecause: nullable(WebhookDisabledSchema),
  creationDate: TimestampSchema,
  /** E-mail of the administrator who made it. */
  createdBy: EmailSchema,
  previousSecretValidUntil: nullable(TimestampSchema),
  rules: Type.Array(Type.String(), {
    description: 'names of the notification rules that are on and tell it; none: only tests are sent to it',
  }),
  /** Notices that wait for the receiver. */
  waiting: CountSchema,
  deadLetters: CountSchema,
  /** Notices that were not kept because too many waited; null when there were none. */
  leftOut: nullable(LeftOutSchema),
  /** null when nothing was sent yet. */
  lastAttempt: nullable(AttemptSchema),
});
export type Webhook = Static<typeof WebhookSchema>;
export const WebhooksSchema = closed({ webhooks: Type.Array(WebhookSchema) });
export type Webhooks = Static<typeof WebhooksSchema>;

export const WebhookTestSchema = closed({ noticeId: UuidSchema });
export type WebhookTest = Static<typeof WebhookTestSchema>;

export const WebhookDeliverySchema = closed({
  id: UuidSchema,
  noticeId: UuidSchema,
  noticeType: Type.String(),
  ...AttemptSchema.properties,
  /** Counts from 1. */
  attempt: CountSchema,
  ms: Type.Integer({ minimum: 0, description: 'milliseconds until the answer' }),
  answer: Type.String({ description: 'the first 1,024 bytes of the body' }),
});
export type WebhookDelivery = Static<typeof WebhookDeliverySchema>;
export const WebhookDeliveriesSchema = closed({ deliveries: Type.Array(WebhookDeliverySchema) });
export type WebhookDeliveries = Static<typeof WebhookDeliveriesSchema>;

export const WebhookDeadLetterSchema = closed({
  noticeId: UuidSchema,
  noticeType: Type.String(),
  text: Type.String(),
  /** When the cause of the notice happened. */
  at: TimestampSchema,
  givenUpAt: TimestampSchema,
  attempts: CountSchema,
  problem: Type.String(),
});
export type WebhookDeadLetter = Static<typeof WebhookDeadLetterSchema>;
export const WebhookDeadLettersSchema = closed({ deadLetters: Type.Array(WebhookDeadLetterSchema) });
export type WebhookDeadLetters = Static<typeof WebhookDeadLettersSchema>;

export const SendAgainSchema = closed({
  noticeIds: Type.Array(UuidSchema, { minItems: 1, maxItems: LIMITS.pageItems }),
});
export const SentAgainSchema = closed({ count: CountSchema });
export type SentAgain = Static<typeof SentAgainSchema>;
