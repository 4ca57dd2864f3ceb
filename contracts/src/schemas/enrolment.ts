/** Enrolment tokens: an administrator makes a token, and agents make their own devices with it. */
import { Type, type Static } from 'typebox';
import { CategorySchema, oneOf } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { VISIBLE_PATTERN } from '../visible.ts';
import {
  closed,
  CountSchema,
  DescriptionSchema,
  EmailSchema,
  NameSchema,
  nullable,
  PathSchema,
  TimestampSchema,
  UuidSchema,
} from './common.ts';
import { AgentConfigurationSchema } from './configuration.ts';
import { fileFields, HealthIntervalSchema } from './entities.ts';
import { DeviceLabelsSchema } from './labels.ts';

/** Placeholder in a name pattern for the name that the agent gives. */
export const HOST_PLACEHOLDER = '{host}';

export const TemplateFileSchema = closed({ ...fileFields, description: Type.Optional(DescriptionSchema) });
export type TemplateFile = Static<typeof TemplateFileSchema>;

/** Settings of each device that is made with the token. Monitoring is on. */
export const DeviceTemplateSchema = closed({
  description: Type.Optional(DescriptionSchema),
  path: PathSchema,
  healthInterval: HealthIntervalSchema,
  category: CategorySchema,
  labels: Type.Optional(DeviceLabelsSchema),
  files: Type.Array(TemplateFileSchema, { maxItems: LIMITS.enrolmentFiles }),
});
export type DeviceTemplate = Static<typeof DeviceTemplateSchema>;

const NamePatternSchema = Type.String({
  minLength: 1,
  maxLength: LIMITS.nameCharacters,
  pattern: VISIBLE_PATTERN,
  description: `name of each device; ${HOST_PLACEHOLDER} stands for the name that the agent gives`,
});
const UsesSchema = Type.Integer({ minimum: 1, maximum: LIMITS.enrolmentUses, description: 'devices' });

export const CreateEnrolmentSchema = closed({
  name: NameSchema,
  namePattern: Type.Optional(NamePatternSchema),
  uses: Type.Optional(UsesSchema),
  expiresInDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.enrolmentDaysMax,
      description: `absent: ${LIMITS.enrolmentDaysDefault}`,
    }),
  ),
  template: DeviceTemplateSchema,
});
export type CreateEnrolment = Static<typeof CreateEnrolmentSchema>;

/** The only response that contains the token. */
export const CreatedEnrolmentSchema = closed({ id: UuidSchema, token: Type.String() });
export type CreatedEnrolment = Static<typeof CreatedEnrolmentSchema>;

/** USABLE, or why the token makes no device any more. */
export const ENROLMENT_STATES = ['USABLE', 'USED_UP', 'EXPIRED', 'ENDED'] as const;
export type EnrolmentState = (typeof ENROLMENT_STATES)[number];

export const EnrolmentSchema = closed({
  id: UuidSchema,
  name: NameSchema,
  namePattern: NamePatternSchema,
  template: DeviceTemplateSchema,
  state: oneOf(ENROLMENT_STATES),
  uses: UsesSchema,
  usesLeft: CountSchema,
  lastUse: nullable(TimestampSchema),
  creationDate: TimestampSchema,
  /** E-mail of the user who made the token. */
  createdBy: EmailSchema,
  expires: TimestampSchema,
  ended: nullable(TimestampSchema),
});
export type Enrolment = Static<typeof EnrolmentSchema>;
export const EnrolmentsSchema = closed({ enrolments: Type.Array(EnrolmentSchema) });
export type Enrolments = Static<typeof EnrolmentsSchema>;

const ENROLMENT_TOKEN_CHARACTERS = 200;
/** POST /enrol, by an agent. */
export const EnrolSchema = closed({
  token: Type.String({ minLength: 1, maxLength: ENROLMENT_TOKEN_CHARACTERS }),
  key: Type.String({
    pattern: '^[0-9A-Za-z_-]{22,64}$',
    description: 'made once by the agent and kept: the same key makes no second device',
  }),
  name: NameSchema,
});
export type Enrol = Static<typeof EnrolSchema>;
export const EnrolledSchema = closed({ deviceName: Type.String(), configuration: AgentConfigurationSchema });
export type Enrolled = Static<typeof EnrolledSchema>;
