/** Service tokens: an administrator makes a token, and a program calls the API with it. */
import { Type, type Static } from 'typebox';
import { oneOf, RoleSchema } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { LabelSchema } from './labels.ts';
import { closed, EmailSchema, NameSchema, nullable, TimestampSchema, UuidSchema } from './common.ts';

const ReadOnlySchema = Type.Boolean({ description: 'only calls that change nothing (GET) are allowed' });

/** Devices of a limited token: those listed, and those that have one of the labels at the time of the call. */
export const DeviceLimitsSchema = closed(
  {
    deviceIds: Type.Array(UuidSchema, { maxItems: LIMITS.serviceTokenDevices, uniqueItems: true }),
    labels: Type.Array(LabelSchema, {
      maxItems: LIMITS.serviceTokenLabels,
      uniqueItems: true,
      description: 'of devices; one of them is enough',
    }),
  },
  { description: 'at least one device or label' },
);
export type DeviceLimits = Static<typeof DeviceLimitsSchema>;

export const CreateServiceTokenSchema = closed({
  name: NameSchema,
  role: RoleSchema,
  readOnly: ReadOnlySchema,
  limits: Type.Optional({ ...DeviceLimitsSchema, description: 'absent: the whole organization' }),
  expiresInDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.serviceTokenDaysMax,
      description: `absent: ${LIMITS.serviceTokenDaysDefault}`,
    }),
  ),
});
export type CreateServiceToken = Static<typeof CreateServiceTokenSchema>;

/** The only response that contains the token. */
export const CreatedServiceTokenSchema = closed({ id: UuidSchema, token: Type.String() });
export type CreatedServiceToken = Static<typeof CreatedServiceTokenSchema>;

/** VALID, or why the token is refused. */
export const SERVICE_TOKEN_STATES = ['VALID', 'EXPIRED', 'ENDED'] as const;
export type ServiceTokenState = (typeof SERVICE_TOKEN_STATES)[number];

/** The last use of a token, at most a minute late; `address` is the IP address of the caller. */
const TokenUseSchema = closed({ at: TimestampSchema, address: Type.String() });

export const ServiceTokenSchema = closed({
  id: UuidSchema,
  name: NameSchema,
  role: RoleSchema,
  readOnly: ReadOnlySchema,
  /** null for the whole organisation. */
  limits: nullable(DeviceLimitsSchema),
  state: oneOf(SERVICE_TOKEN_STATES),
  creationDate: TimestampSchema,
  /** E-mail of the administrator who made it. */
  createdBy: EmailSchema,
  expires: TimestampSchema,
  ended: nullable(TimestampSchema),
  lastUse: nullable(TokenUseSchema),
});
export type ServiceToken = Static<typeof ServiceTokenSchema>;
export const ServiceTokensSchema = closed({ serviceTokens: Type.Array(ServiceTokenSchema) });
export type ServiceTokens = Static<typeof ServiceTokensSchema>;
