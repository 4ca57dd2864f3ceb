/** Filters for the alerts of an organisation in lists, counts and groups. */
import { Type, type Static } from 'typebox';
import { AlertStatusSchema, AlertTypeSchema, CategorySchema, oneOf } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { LabelSchema } from './labels.ts';
import { closed, CountSchema, HashSchema, nullable, TimestampSchema, UuidSchema } from './common.ts';

/** Stands for a user's id in the filter for unassigned alerts. */
export const NOBODY = 'NOBODY';

export const YES_NO = ['yes', 'no'] as const;
export type YesNo = (typeof YES_NO)[number];

/** An absent field matches every value. */
export const alertFilterFields = {
  status: Type.Optional(AlertStatusSchema),
  type: Type.Optional(AlertTypeSchema),
  category: Type.Optional(CategorySchema),
  deviceId: Type.Optional(UuidSchema),
  fileId: Type.Optional(UuidSchema),
  /** Id of the user who dismissed or reset the alert. */
  handledBy: Type.Optional(UuidSchema),
  assignee: Type.Optional(
    Type.Union([UuidSchema, Type.Literal(NOBODY)], { description: `id of a user, or ${NOBODY}` }),
  ),
  contentHash: Type.Optional(HashSchema),
  /** Current label of the device or of the file. */
  label: Type.Optional(LabelSchema),
  planned: Type.Optional(oneOf(YES_NO, 'whether a maintenance window covers it')),
  /** Id of the maintenance window that covers the alert. */
  window: Type.Optional(UuidSchema),
  expected: Type.Optional(oneOf(YES_NO, 'whether a list of expected changes has it')),
  /** Id of the list of expected changes that has the alert. */
  list: Type.Optional(UuidSchema),
};
export const AlertFilterSchema = closed(alertFilterFields);
export type AlertFilter = Static<typeof AlertFilterSchema>;

/** Orders of a list by time. */
export const LIST_ORDERS = ['newest', 'oldest'] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];

const rangeFields = {
  timestampFrom: Type.Optional(TimestampSchema),
  timestampTo: Type.Optional(TimestampSchema),
};
export const AlertCountsQuerySchema = closed({ ...alertFilterFields, ...rangeFields });
export type AlertCountsQuery = Static<typeof AlertCountsQuerySchema>;

/** Number of alerts that match a value of one filter and all other filters. */
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
  /** Name of the file's device, in groups by file. */
  deviceName: nullable(Type.String()),
  alerts: CountSchema,
  active: CountSchema,
  devices: CountSchema,
  files: CountSchema,
  /** Time of the newest alert of the group. */
  newest: TimestampSchema,
});
export type AlertGroup = Static<typeof AlertGroupSchema>;
export const AlertGroupsSchema = closed({
  groups: Type.Array(AlertGroupSchema, { description: 'those with most alerts first' }),
  /** Number of groups on all pages. */
  total: CountSchema,
});
export type AlertGroups = Static<typeof AlertGroupsSchema>;
