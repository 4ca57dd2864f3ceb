/** Which alerts of an organisation a list, a count or a group is of. */
import { Type, type Static } from 'typebox';
import { AlertStatusSchema, AlertTypeSchema, CategorySchema, oneOf } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { LabelSchema } from './labels.ts';
import { closed, CountSchema, HashSchema, nullable, TimestampSchema, UuidSchema } from './common.ts';

/** In the place of a user's id: alerts that nobody is to handle. */
export const NOBODY = 'NOBODY';

export const YES_NO = ['yes', 'no'] as const;
export type YesNo = (typeof YES_NO)[number];

/** Absent: whatever the value is. */
export const alertFilterFields = {
  status: Type.Optional(AlertStatusSchema),
  type: Type.Optional(AlertTypeSchema),
  category: Type.Optional(CategorySchema),
  deviceId: Type.Optional(UuidSchema),
  fileId: Type.Optional(UuidSchema),
  /** Id of the user who dismissed or reset it. */
  handledBy: Type.Optional(UuidSchema),
  assignee: Type.Optional(
    Type.Union([UuidSchema, Type.Literal(NOBODY)], { description: `id of a user, or ${NOBODY}` }),
  ),
  contentHash: Type.Optional(HashSchema),
  /** Of the device or of the file, as they are now. */
  label: Type.Optional(LabelSchema),
  planned: Type.Optional(oneOf(YES_NO, 'whether a maintenance window covers it')),
  /** Id of the maintenance window that covers it. */
  window: Type.Optional(UuidSchema),
  expected: Type.Optional(oneOf(YES_NO, 'whether a list of expected changes has it')),
  /** Id of the list of expected changes that has it. */
  list: Type.Optional(UuidSchema),
};
export const AlertFilterSchema = closed(alertFilterFields);
export type AlertFilter = Static<typeof AlertFilterSchema>;

const rangeFields = {
  timestampFrom: Type.Optional(TimestampSchema),
  timestampTo: Type.Optional(TimestampSchema),
};
export const AlertCountsQuerySchema = closed({ ...alertFilterFields, ...rangeFields });
export type AlertCountsQuery = Static<typeof AlertCountsQuerySchema>;

/** A value of a filter: how many alerts it leaves when the other filters stay. */
export const AlertCountSchema = closed({
  value: Type.String({ description: 'as the filter takes it' }),
  name: Type.String({
    description: 'of a device, a file or a user; the reason of a window or a list; else the value',
  }),
  alerts: CountSchema,
});
export type AlertCount = Static<typeof AlertCountSchema>;

export const COUNTED_FILTERS = [
  'status',
  'type',
  'category',
  'deviceId',
  'fileId',
  'handledBy',
  'assignee',
  'planned',
  'window',
  'expected',
  'list',
] as const;
export type CountedFilter = (typeof COUNTED_FILTERS)[number];

const counts = () =>
  Type.Array(AlertCountSchema, {
    maxItems: LIMITS.countedValues,
    description: 'those with most alerts first; those without are left out',
  });
export const AlertCountsSchema = closed({
  alerts: Type.Integer({ minimum: 0, description: 'that all filters leave' }),
  status: counts(),
  type: counts(),
  category: counts(),
  deviceId: counts(),
  fileId: counts(),
  handledBy: counts(),
  assignee: counts(),
  planned: counts(),
  window: counts(),
  expected: counts(),
  list: counts(),
});
export type AlertCounts = Static<typeof AlertCountsSchema>;

export const ALERT_GROUPINGS = ['DEVICE', 'FILE', 'TYPE', 'CHANGE'] as const;
export type AlertGrouping = (typeof ALERT_GROUPINGS)[number];

export const AlertGroupsQuerySchema = closed({
  ...alertFilterFields,
  ...rangeFields,
  by: oneOf(ALERT_GROUPINGS, 'CHANGE: of equal content'),
  skip: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'groups that are held already' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.pageItems })),
});
export type AlertGroupsQuery = Static<typeof AlertGroupsQuerySchema>;

export const AlertGroupSchema = closed({
  key: Type.String({ description: 'as the filter of the same name takes it' }),
  name: Type.String({ description: 'of the device, or of the file; of a change, of one of its files' }),
  /** Of a file: where it is. */
  deviceName: nullable(Type.String()),
  alerts: CountSchema,
  active: CountSchema,
  devices: CountSchema,
  files: CountSchema,
  /** Of its newest alert. */
  newest: TimestampSchema,
});
export type AlertGroup = Static<typeof AlertGroupSchema>;
export const AlertGroupsSchema = closed({
  groups: Type.Array(AlertGroupSchema, { description: 'those with most alerts first' }),
  /** With those of other pages. */
  total: CountSchema,
});
export type AlertGroups = Static<typeof AlertGroupsSchema>;
