/** Maintenance windows: alerts that they cover are marked `planned`, and reviewed at the end. */
import { Type, type Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { VISIBLE_PATTERN } from '../visible.ts';
import {
  closed,
  CountSchema,
  EmailSchema,
  NoteSchema,
  nullable,
  TimestampSchema,
  UuidSchema,
} from './common.ts';
import { LabelSchema } from './labels.ts';

const ids = (description: string) =>
  Type.Optional(Type.Array(UuidSchema, { maxItems: LIMITS.scopeItems, description }));

/** Scope of a window or a list of expected changes: whatever matches at least one member. */
export const ScopeSchema = closed(
  {
    everything: Type.Optional(Type.Literal(true, { description: 'all devices, later ones too' })),
    deviceIds: ids('with all their files'),
    fileIds: ids('single files'),
    labels: Type.Optional(
      Type.Array(LabelSchema, {
        maxItems: LIMITS.scopeLabels,
        description: 'devices and files that have one of them when an alert is raised',
      }),
    ),
  },
  { description: 'at least one member' },
);
export type Scope = Static<typeof ScopeSchema>;

export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const WeeklySchema = closed({
  days: Type.Array(oneOf(WEEKDAYS), { minItems: 1, maxItems: WEEKDAYS.length }),
  from: Type.String({
    pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
    description:
      'in `timeZone`; where clocks skip it, it is as much later as they skip; where it comes twice, it is the first',
  }),
  minutes: Type.Integer({ minimum: 1, maximum: LIMITS.weeklyMinutesMax }),
  timeZone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name' }),
});
export type Weekly = Static<typeof WeeklySchema>;

export const ReasonSchema = Type.String({
  minLength: 1,
  maxLength: LIMITS.descriptionCharacters,
  pattern: VISIBLE_PATTERN,
});

const times = {
  start: Type.Optional({
    ...TimestampSchema,
    description: 'absent: now, or of a window that has begun, as it is',
  }),
  end: { ...TimestampSchema, description: `at most ${LIMITS.windowDaysMax} days after the start` },
  weekly: Type.Optional({
    ...nullable(WeeklySchema),
    description: 'on these days between start and end only; null or absent: at all times between them',
  }),
};

/** Body of POST and PUT: a whole window. */
export const MaintenanceInputSchema = closed({ reason: ReasonSchema, scope: ScopeSchema, ...times });
export type MaintenanceInput = Static<typeof MaintenanceInputSchema>;

/** PAUSED: between two intervals of a weekly window. ENDED: waits for its review. CANCELLED: never began. */
export const MAINTENANCE_STATES = ['PLANNED', 'OPEN', 'PAUSED', 'ENDED', 'REVIEWED', 'CANCELLED'] as const;
export type MaintenanceState = (typeof MAINTENANCE_STATES)[number];

export const MaintenanceSchema = closed({
  id: UuidSchema,
  reason: ReasonSchema,
  scope: ScopeSchema,
  start: TimestampSchema,
  end: TimestampSchema,
  weekly: nullable(WeeklySchema),
  state: oneOf(MAINTENANCE_STATES),
  /** Intervals in which the window applies or applied; oldest first. */
  intervals: Type.Array(closed({ from: TimestampSchema, to: TimestampSchema })),
  creationDate: TimestampSchema,
  createdBy: EmailSchema,
  changes: Type.Integer({ ...CountSchema, description: 'of its times or its scope, since it was made' }),
  /** Time of an early end; null otherwise. */
  ended: nullable(TimestampSchema),
  review: nullable(closed({ at: TimestampSchema, by: EmailSchema, note: NoteSchema })),
});
export type Maintenance = Static<typeof MaintenanceSchema>;

export const MaintenanceQuerySchema = closed({
  toReview: Type.Optional(Type.Boolean({ description: 'true: only those that wait for their review' })),
});
/** No frame of the stream tells of an end by time: whoever shows how many wait for review reads again then. */
export const NextWindowEndSchema = Type.Optional({
  ...TimestampSchema,
  description: 'when the next window ends and waits for its review. Absent: none will end',
});

export const MaintenanceListSchema = closed({
  windows: Type.Array(MaintenanceSchema),
  /** Number of ended windows that wait for their review, also beyond the list. */
  toReview: CountSchema,
  nextWindowEnd: NextWindowEndSchema,
});
export type MaintenanceList = Static<typeof MaintenanceListSchema>;

export const ReviewSchema = closed({ note: NoteSchema });
