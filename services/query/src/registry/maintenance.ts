/** Maintenance windows (decision 059). Pure: time, ids and the files of the scope come in. */
import {
  isRealTime,
  LIMITS,
  type Covered,
  type EventType,
  type Interval,
  type MaintenanceEntity,
  type MaintenanceInput,
  type MaintenanceState,
} from '@sentinel-node/contracts';
import {
  invalid,
  refuse,
  UNCHANGED,
  type Decision,
  type EventDraft,
  type Refused,
  type Stamp,
} from './decision.ts';
import { note } from './notes.ts';
import { spansOf, type WindowRevisions } from './set-aside.ts';
import { weeklyIntervals } from './weekly.ts';
import { isTimeZone } from './zoned-time.ts';

const DAY_MS = 24 * 3_600_000;
/**
 * A start may lie this far in the past, because clocks differ and typing takes time; it then counts as now.
 * Milliseconds.
 */
const START_GRACE_MS = 5 * 60_000;

/** A window as a person gives it, with the devices of its files. */
export interface Given extends Omit<MaintenanceInput, 'scope'> {
  readonly scope: Covered;
}

export type MaintenanceCommand =
  | { readonly type: 'OPEN'; readonly id: string; readonly orgId: string; readonly given: Given }
  | { readonly type: 'CHANGE'; readonly given: Given }
  | { readonly type: 'END' }
  | { readonly type: 'REVIEW'; readonly note: string };

export function decideMaintenance(
  command: MaintenanceCommand,
  window: MaintenanceEntity | undefined,
  stamp: Stamp,
): Decision<MaintenanceEntity> {
  if (command.type === 'OPEN') return window === undefined ? open(command, stamp) : refuse('CONFLICT');
  if (window === undefined) return refuse('NOT_FOUND');
  switch (command.type) {
    case 'CHANGE':
      return change(window, command.given, stamp);
    case 'END':
      return end(window, stamp);
    case 'REVIEW':
      return review(window, command.note, stamp);
  }
}

type Timed = Pick<MaintenanceEntity, 'endedAt' | 'review'> & { readonly revisions: WindowRevisions };

/** Returns when the window ended or will end (ms); for a window that never began, when it was cancelled. */
export function endOfWindow({ endedAt, revisions }: Timed): number {
  return spansOf(revisions).at(-1)?.to ?? endedAt ?? 0;
}

/** @param now milliseconds since the Unix epoch */
export function maintenanceState(window: Timed, now: number): MaintenanceState {
  if (window.review !== null) return 'REVIEWED';
  const spans = spansOf(window.revisions);
  if (spans.length === 0) return 'CANCELLED';
  if (now < spans[0]!.from) return 'PLANNED';
  if (now >= spans.at(-1)!.to) return 'ENDED';
  return spans.some(({ from, to }) => from <= now && now < to) ? 'OPEN' : 'PAUSED';
}

function open(
  { id, orgId, given }: Extract<MaintenanceCommand, { type: 'OPEN' }>,
  stamp: Stamp,
): Decision<MaintenanceEntity> {
  const times = timesOf(given, null, stamp.at);
  if ('kind' in times) return times;
  const { at, by } = stamp;
  const entity: MaintenanceEntity = {
    kind: 'MAINTENANCE',
    id,
    orgId,
    reason: given.reason,
    start: times.start,
    end: times.end,
    weekly: given.weekly ?? null,
    revisions: [{ at, scope: given.scope, intervals: times.intervals }],
    creationDate: at,
    createdBy: by?.email ?? '',
    endedAt: null,
    review: null,
  };
  return changed(entity, 'OPEN_MAINTENANCE', [given.scope], { ...wordsOf(entity) }, stamp);
}

function change(window: MaintenanceEntity, given: Given, stamp: Stamp): Decision<MaintenanceEntity> {
  const { at } = stamp;
  if (at >= endOfWindow(window)) return refuse('CONFLICT', 'The window is over.');
  const last = window.revisions.at(-1)!;
  const times = timesOf(given, window, at);
  if ('kind' in times) return times;
  const weekly = given.weekly ?? null;
  const next = { reason: given.reason, start: times.start, end: times.end, weekly };
  const isSame = JSON.stringify([next, given.scope]) === JSON.stringify([pickTimes(window), last.scope]);
  if (isSame) return UNCHANGED;
  if (window.revisions.length > LIMITS.windowChanges)
    return refuse('LIMIT_REACHED', `A window is changed at most ${LIMITS.windowChanges} times.`);
  const revisions = [...window.revisions, { at, scope: given.scope, intervals: times.intervals }];
  const entity = { ...window, ...next, revisions };
  return changed(entity, 'CHANGE_MAINTENANCE', [last.scope, given.scope], wordsOf(entity), stamp);
}

const pickTimes = ({ reason, start, end: until, weekly }: MaintenanceEntity) => ({
  reason,
  start,
  end: until,
  weekly,
});

function end(window: MaintenanceEntity, stamp: Stamp): Decision<MaintenanceEntity> {
  const { at } = stamp;
  if (window.endedAt !== null || at >= endOfWindow(window)) return UNCHANGED;
  const { scope } = window.revisions.at(-1)!;
  const entity = { ...window, endedAt: at, revisions: [...window.revisions, { at, scope, intervals: [] }] };
  return changed(entity, 'END_MAINTENANCE', [scope], { maintenance: window.reason }, stamp);
}

function review(window: MaintenanceEntity, text: string, stamp: Stamp): Decision<MaintenanceEntity> {
  const state = maintenanceState(window, stamp.at);
  if (state === 'REVIEWED') return refuse('CONFLICT', 'Somebody has reviewed the window already.');
  if (state !== 'ENDED') return refuse('CONFLICT', 'A window is reviewed when it is over.');
  const entity = { ...window, review: { at: stamp.at, by: stamp.by?.email ?? '', note: text } };
  const scopes = window.revisions.map(({ scope }) => scope);
  return changed(entity, 'REVIEW_MAINTENANCE', scopes, { maintenance: window.reason, note: text }, stamp);
}

interface Times {
  readonly start: number;
  readonly end: number;
  readonly intervals: Interval[];
}

/** @param window that is changed; null for a new one */
function timesOf(given: Given, window: MaintenanceEntity | null, now: number): Times | Refused {
  const wrong = (field: string, message: string) => invalid({ path: `/${field}`, message });
  for (const field of ['start', 'end'] as const)
    if (given[field] !== undefined && !isRealTime(given[field])) return wrong(field, 'is no date');
  const held = window !== null && window.start <= now ? window.start : null;
  const asked = given.start === undefined ? (held ?? now) : Date.parse(given.start);
  if (held !== null && asked !== held)
    return wrong('start', 'cannot be changed, because the window has begun');
  if (held === null && asked < now - START_GRACE_MS) return wrong('start', 'lies in the past');
  const start = held ?? Math.max(asked, now);
  const until = Date.parse(given.end);
  if (until <= start) return wrong('end', 'must be after the start');
  if (until <= now) return wrong('end', 'lies in the past');
  if (until - start > LIMITS.windowDaysMax * DAY_MS)
    return wrong('end', `must be at most ${LIMITS.windowDaysMax} days after the start`);
  const whole = { from: Math.max(start, now), to: until };
  const weekly = given.weekly ?? null;
  if (weekly === null) return { start, end: until, intervals: [whole] };
  if (!isTimeZone(weekly.timeZone)) return wrong('weekly/timeZone', 'is no time zone');
  const intervals = weeklyIntervals(weekly, whole);
  if (intervals.length === 0) return wrong('weekly/days', 'none of them is between start and end');
  return { start, end: until, intervals };
}

function wordsOf({
  reason,
  start,
  end: until,
  weekly,
}: MaintenanceEntity): Readonly<Record<string, unknown>> {
  const from = new Date(start).toISOString();
  return { maintenance: reason, from, to: new Date(until).toISOString(), ...(weekly !== null && { weekly }) };
}

/** Writes an event for each named device, and one for the organisation when the scope covers more. */
function changed(
  entity: MaintenanceEntity,
  type: EventType,
  scopes: readonly Covered[],
  what: Readonly<Record<string, unknown>>,
  { by }: Stamp,
): Decision<MaintenanceEntity> {
  const text = note(by, what);
  const events = scopeSubjects(scopes).map((subject): EventDraft => ({ type, ...subject, note: text }));
  return { kind: 'changed', entity, events, policies: [] };
}

/** Returns each subject of the scopes once. */
export function scopeSubjects(scopes: readonly Covered[]): Pick<EventDraft, 'deviceId' | 'fileId'>[] {
  const subjects = new Map<string, Pick<EventDraft, 'deviceId' | 'fileId'>>();
  for (const { everything, deviceIds, files, labels } of scopes) {
    if (everything || labels.length > 0) subjects.set('', { deviceId: null, fileId: null });
    for (const deviceId of deviceIds) subjects.set(deviceId, { deviceId, fileId: null });
    for (const { id, deviceId } of files) subjects.set(id, { deviceId, fileId: id });
  }
  return [...subjects.values()];
}
