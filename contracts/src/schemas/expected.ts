/** Lists of expected changes: the contents that a rollout will leave, by path. */
import { Type, type Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import {
  closed,
  CountSchema,
  EmailSchema,
  HashSchema,
  nullable,
  PathSchema,
  TimestampSchema,
  UuidSchema,
} from './common.ts';
import { ReasonSchema, ScopeSchema } from './maintenance.ts';

export const ExpectedEntrySchema = closed({ path: PathSchema, sha256: HashSchema });
export type ExpectedEntry = Static<typeof ExpectedEntrySchema>;

/** POST: either `entries` or `checksums`. */
export const CreateExpectedSchema = closed({
  reason: ReasonSchema,
  scope: ScopeSchema,
  end: { ...TimestampSchema, description: `at most ${LIMITS.expectedDaysMax} days from now` },
  entries: Type.Optional(Type.Array(ExpectedEntrySchema, { minItems: 1, maxItems: LIMITS.expectedEntries })),
  checksums: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.expectedBytes,
      description: 'lines as `sha256sum` writes them, in the place of `entries`',
    }),
  ),
  folder: Type.Optional({
    ...PathSchema,
    description: 'that relative paths are in; absent: they are not allowed',
  }),
});
export type CreateExpected = Static<typeof CreateExpectedSchema>;

export const EXPECTED_STATES = ['VALID', 'EXPIRED', 'ENDED'] as const;
export type ExpectedState = (typeof EXPECTED_STATES)[number];

export const ExpectedListSchema = closed({
  id: UuidSchema,
  reason: ReasonSchema,
  scope: ScopeSchema,
  state: oneOf(EXPECTED_STATES),
  entries: Type.Integer({ ...CountSchema, description: 'contents in it' }),
  creationDate: TimestampSchema,
  createdBy: EmailSchema,
  end: TimestampSchema,
  /** Time of an early end; null otherwise. */
  ended: nullable(TimestampSchema),
});
export type ExpectedList = Static<typeof ExpectedListSchema>;
export const ExpectedListsSchema = closed({ lists: Type.Array(ExpectedListSchema) });
export type ExpectedLists = Static<typeof ExpectedListsSchema>;

/** GET of one list, with its contents. */
export const ExpectedSchema = closed({
  ...ExpectedListSchema.properties,
  contents: Type.Array(ExpectedEntrySchema, { description: 'in the order of the list' }),
});
export type Expected = Static<typeof ExpectedSchema>;
