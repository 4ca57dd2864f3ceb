/** Decisions on maintenance windows, their times, and what they cover. */
import { LIMITS, type Covered, type MaintenanceEntity, type Weekly } from '@sentinel-node/contracts';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { decideMaintenance, maintenanceState, endOfWindow, type Given } from '../src/registry/maintenance.ts';
import { isPlanned, spansOf, type AlertMoment } from '../src/registry/set-aside.ts';
import { weeklyIntervals } from '../src/registry/weekly.ts';
import { isTimeZone } from '../src/registry/zoned-time.ts';

const AT = Date.UTC(2026, 10, 21, 10);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BY = { userId: 'u1', email: 'ada@example.org' };
const iso = (ms: number): string => new Date(ms).toISOString();
const stamp = (at: number) => ({ at, version: 1, by: BY });

const DEVICE: Covered = { everything: false, deviceIds: ['d1'], files: [], labels: [] };
const OTHER: Covered = {
  everything: false,
  deviceIds: [],
  files: [{ id: 'f9', deviceId: 'd2' }],
  labels: [],
};
const given = (more: Partial<Given> = {}): Given => ({
  reason: 'Update',
  scope: DEVICE,
  end: iso(AT + 2 * HOUR_MS),
  ...more,
});
const alert = (
  timestamp: number,
  lastTimestamp = timestamp,
  more: Partial<AlertMoment> = {},
): AlertMoment => ({
  deviceId: 'd1',
  fileId: 'f1',
  timestamp,
  lastTimestamp,
  type: 'HASH_BREACH',
  occurrences: 1,
  labels: [],
  path: null,
  contentHash: null,
  ...more,
});

type Decided = ReturnType<typeof decideMaintenance>;
function entityOf(decision: Decided): MaintenanceEntity {
  if (decision.kind !== 'changed') throw new Error(JSON.stringify(decision));
  return decision.entity;
}
const open = (more: Partial<Given> = {}, at = AT): Decided =>
  decideMaintenance({ type: 'OPEN', id: 'w1', orgId: 'o1', given: given(more) }, undefined, stamp(at));
const change = (window: MaintenanceEntity, more: Partial<Given>, at: number): Decided =>
  decideMaintenance({ type: 'CHANGE', given: given(more) }, window, stamp(at));
const end = (window: MaintenanceEntity, at: number): Decided =>
  decideMaintenance({ type: 'END' }, window, stamp(at));

t.test('a window from now on covers what is raised in it, with all its occurrences', async (t) => {
  const { revisions } = entityOf(open());
  t.ok(isPlanned(revisions, alert(AT)));
  t.ok(isPlanned(revisions, alert(AT + 1, AT + 2 * HOUR_MS - 1)));
  t.notOk(isPlanned(revisions, alert(AT - 1, AT + 1)), 'raised before');
  t.notOk(isPlanned(revisions, alert(AT + 1, AT + 2 * HOUR_MS)), 'it went on afterwards');
  t.notOk(isPlanned(revisions, alert(AT, AT, { deviceId: 'd2' })));
  const byLabel = entityOf(open({ scope: { ...OTHER, labels: ['site:graz'] } })).revisions;
  t.ok(isPlanned(byLabel, alert(AT, AT, { labels: ['env:prod', 'site:graz'] })));
  t.notOk(isPlanned(byLabel, alert(AT, AT, { labels: ['site:gr'] })));
  t.ok(isPlanned(byLabel, alert(AT, AT, { deviceId: 'd2', fileId: 'f9' })), 'a file');
  t.notOk(isPlanned(byLabel, alert(AT, AT, { deviceId: 'd2', fileId: 'f8' })));
  t.ok(isPlanned(entityOf(open({ scope: { ...OTHER, everything: true } })).revisions, alert(AT)));
});

t.test('a change holds from then on, and says nothing of what was before', async (t) => {
  const window = entityOf(open());
  const longer = entityOf(change(window, { end: iso(AT + 4 * HOUR_MS) }, AT + HOUR_MS));
  t.strictSame(spansOf(longer.revisions), [{ from: AT, to: AT + 4 * HOUR_MS }]);
  t.ok(isPlanned(longer.revisions, alert(AT + 1, AT + 3 * HOUR_MS)), 'across the change');
  const other = entityOf(change(window, { scope: OTHER }, AT + HOUR_MS));
  t.ok(isPlanned(other.revisions, alert(AT + 1)), 'it was covered then');
  t.notOk(isPlanned(other.revisions, alert(AT + 1, AT + HOUR_MS)), 'its new occurrence is not');
  t.notOk(isPlanned(other.revisions, alert(AT + 1, AT + 1, { deviceId: 'd2', fileId: 'f9' })));
  t.ok(isPlanned(other.revisions, alert(AT + HOUR_MS, AT + HOUR_MS, { deviceId: 'd2', fileId: 'f9' })));
  const back = entityOf(change(other, {}, AT + HOUR_MS + 5));
  t.notOk(isPlanned(back.revisions, alert(AT + 1, AT + HOUR_MS + 5)), 'with a gap between');
  const ended = entityOf(end(window, AT + HOUR_MS));
  t.equal(endOfWindow(ended), AT + HOUR_MS);
  t.ok(isPlanned(ended.revisions, alert(AT + HOUR_MS - 1)));
  t.notOk(isPlanned(ended.revisions, alert(AT + HOUR_MS)));
  t.match(change(ended, {}, AT + HOUR_MS), { kind: 'refused', code: 'CONFLICT' });
  t.match(change(window, {}, AT + 2 * HOUR_MS), { kind: 'refused', code: 'CONFLICT' });
  t.strictSame(change(window, {}, AT + 5), { kind: 'unchanged' });
  t.strictSame(end(ended, AT + HOUR_MS + 1), { kind: 'unchanged' });
  t.strictSame(end(window, AT + 3 * HOUR_MS), { kind: 'unchanged' });
});

t.test('times that cannot be', async (t) => {
  const refusals: readonly [Partial<Given>, string][] = [
    [{ end: iso(AT) }, '/end'],
    [{ end: iso(AT - 1) }, '/end'],
    [{ end: '2026-02-30T10:00:00.000Z' }, '/end'],
    [{ end: iso(AT + LIMITS.windowDaysMax * DAY_MS + 1) }, '/end'],
    [{ start: iso(AT - HOUR_MS) }, '/start'],
    [{ start: '2026-11-31T10:00:00.000Z' }, '/start'],
    [{ start: iso(AT + 3 * HOUR_MS) }, '/end'],
    [{ weekly: weekly({ timeZone: 'Europe/Nowhere' }) }, '/weekly/timeZone'],
    [{ weekly: weekly({ days: ['MON'] }) }, '/weekly/days'],
  ];
  for (const [more, path] of refusals)
    matchWhole(
      t,
      open(more),
      { kind: 'refused', code: 'VALIDATION_FAILED', errors: [{ path }] },
      JSON.stringify(more),
    );
  t.equal(entityOf(open({ start: iso(AT - 60_000) })).start, AT, 'clocks differ: it is now');
  const begun = entityOf(open());
  const later = change(begun, { start: iso(AT + HOUR_MS) }, AT + 1);
  matchWhole(t, later, { kind: 'refused', errors: [{ path: '/start' }] });
  matchWhole(t, change(begun, { end: iso(AT + 10) }, AT + 20), {
    kind: 'refused',
    errors: [{ path: '/end' }],
  });
  const planned = entityOf(open({ start: iso(AT + HOUR_MS) }));
  const moved = entityOf(change(planned, { start: iso(AT + 90 * 60_000) }, AT + 1));
  t.strictSame(spansOf(moved.revisions), [{ from: AT + 90 * 60_000, to: AT + 2 * HOUR_MS }]);
});

const weekly = (more: Partial<Weekly> = {}): Weekly => ({
  days: ['SAT', 'SUN'],
  from: '02:30',
  minutes: 90,
  timeZone: 'Europe/Vienna',
  ...more,
});

t.test('weekly windows follow the clocks of their zone', async (t) => {
  const day = (month: number, date: number) => ({
    from: Date.UTC(2026, month - 1, date),
    to: Date.UTC(2026, month - 1, date + 1),
  });
  const of = (one: Weekly, on: { from: number; to: number }): string[] =>
    weeklyIntervals(one, on).flatMap(({ from, to }) => [iso(from).slice(5, 16), iso(to).slice(5, 16)]);
  t.strictSame(of(weekly(), day(1, 3)), ['01-03T01:30', '01-03T03:00'], 'winter');
  t.strictSame(of(weekly(), day(7, 4)), ['07-04T00:30', '07-04T02:00'], 'summer');
  t.strictSame(of(weekly(), day(3, 29)), ['03-29T01:30', '03-29T03:00'], 'there is no 2:30: it is 3:30 then');
  t.strictSame(of(weekly(), day(10, 25)), ['10-25T00:30', '10-25T02:00'], 'there are two: it is the first');
  t.strictSame(of(weekly(), day(1, 5)), [], 'a Monday');
  const late = weekly({ days: ['SUN'], from: '23:00', minutes: 120, timeZone: 'UTC' });
  t.strictSame(of(late, day(1, 5)), ['01-05T00:00', '01-05T01:00'], 'what began the day before');
  const kiribati = weekly({ days: ['MON'], from: '00:00', minutes: 60, timeZone: 'Pacific/Kiritimati' });
  t.strictSame(of(kiribati, day(1, 4)), ['01-04T10:00', '01-04T11:00'], 'it is Monday there');
  t.notOk(isTimeZone('Mars/Base'));
  const window = entityOf(open({ end: iso(AT + 15 * DAY_MS), weekly: weekly() }));
  t.equal(window.revisions[0]!.intervals.length, 5, 'from Saturday noon on');
  t.equal(maintenanceState(window, AT), 'PLANNED');
  const first = window.revisions[0]!.intervals[0]!;
  t.equal(maintenanceState(window, first.from), 'OPEN');
  t.equal(maintenanceState(window, first.to), 'PAUSED');
  t.notOk(isPlanned(window.revisions, alert(first.from, window.revisions[0]!.intervals[1]!.from)));
});

t.test('a window that is over is reviewed once; one that never began is not', async (t) => {
  const window = entityOf(open());
  const review = (of: MaintenanceEntity, at: number): Decided =>
    decideMaintenance({ type: 'REVIEW', note: 'As planned.' }, of, stamp(at));
  t.match(review(window, AT + HOUR_MS), { kind: 'refused', code: 'CONFLICT' });
  t.equal(maintenanceState(window, AT + 2 * HOUR_MS), 'ENDED');
  const reviewed = review(window, AT + 3 * HOUR_MS);
  t.match(entityOf(reviewed).review, { at: AT + 3 * HOUR_MS, by: BY.email, note: 'As planned.' });
  t.equal(maintenanceState(entityOf(reviewed), AT + 4 * HOUR_MS), 'REVIEWED');
  t.match(review(entityOf(reviewed), AT + 4 * HOUR_MS), { kind: 'refused', code: 'CONFLICT' });
  const cancelled = entityOf(end(entityOf(open({ start: iso(AT + HOUR_MS) })), AT + 1));
  t.equal(maintenanceState(cancelled, AT + DAY_MS), 'CANCELLED');
  t.match(review(cancelled, AT + DAY_MS), { kind: 'refused' });
});

t.test('everybody who is concerned finds it in the history', async (t) => {
  const window = entityOf(open());
  const changed = change(window, { scope: { ...OTHER, labels: ['site:graz'] } }, AT + 1);
  if (changed.kind !== 'changed') throw new Error('not changed');
  const subjects = changed.events.map(({ type, deviceId, fileId }) => ({ type, deviceId, fileId }));
  const type = 'CHANGE_MAINTENANCE';
  t.strictSame(subjects, [
    { type, deviceId: 'd1', fileId: null },
    { type, deviceId: null, fileId: null },
    { type, deviceId: 'd2', fileId: 'f9' },
  ]);
  t.match(JSON.parse(changed.events[0]!.note), { by: BY.email, maintenance: 'Update', from: iso(AT) });
  matchWhole(t, open({}), { events: [{ type: 'OPEN_MAINTENANCE', deviceId: 'd1', fileId: null }] });
  t.match(decideMaintenance({ type: 'END' }, undefined, stamp(AT)), { code: 'NOT_FOUND' });
  const again = { type: 'OPEN', id: 'w1', orgId: 'o1', given: given() } as const;
  t.match(decideMaintenance(again, window, stamp(AT)), { code: 'CONFLICT' });
  let many = window;
  for (let n = 1; n <= LIMITS.windowChanges; n++)
    many = entityOf(change(many, { reason: `Update ${n}` }, AT + n));
  t.match(change(many, { reason: 'One more' }, AT + 100), { kind: 'refused', code: 'LIMIT_REACHED' });
});

t.test('each limit of the times, to the millisecond, with a text that says what is wrong', async (t) => {
  const MINUTE_MS = 60_000;
  const wrong = (decision: Decided): string =>
    decision.kind === 'refused'
      ? (decision.errors?.map(({ path, message }) => `${path} ${message}`).join() ?? '')
      : decision.kind;
  t.equal(wrong(open({ start: iso(AT - 5 * MINUTE_MS) })), 'changed', 'five minutes ago is now');
  t.equal(wrong(open({ start: iso(AT - 5 * MINUTE_MS - 1) })), '/start lies in the past');
  t.equal(wrong(open({ end: iso(AT) })), '/end must be after the start');
  t.equal(wrong(open({ end: iso(AT + LIMITS.windowDaysMax * DAY_MS) })), 'changed');
  t.equal(
    wrong(open({ end: iso(AT + LIMITS.windowDaysMax * DAY_MS + 1) })),
    `/end must be at most ${LIMITS.windowDaysMax} days after the start`,
  );
  t.equal(wrong(open({ end: 'tomorrow' })), '/end is no date');
  t.equal(wrong(open({ weekly: weekly({ timeZone: 'Mars/Base' }) })), '/weekly/timeZone is no time zone');
  t.equal(
    wrong(open({ weekly: weekly({ days: ['MON'] }) })),
    '/weekly/days none of them is between start and end',
  );
  const window = entityOf(open());
  t.equal(
    wrong(change(window, { start: iso(AT + 1) }, AT)),
    '/start cannot be changed, because the window has begun',
    'in its first moment',
  );
  t.equal(wrong(change(window, { end: iso(AT + 20) }, AT + 20)), '/end lies in the past');
  const text = (decision: Decided): string =>
    decision.kind === 'refused' ? (decision.detail ?? '') : decision.kind;
  const last = AT + 2 * HOUR_MS;
  t.equal(
    text(change(window, { end: iso(last + 1) }, last - 1)),
    'changed',
    'a moment before its end it goes on',
  );
  t.equal(text(change(window, { end: iso(last + 1) }, last)), 'The window is over.');
  t.equal(text(end(window, last - 1)), 'changed');
  t.equal(text(end(window, last)), 'unchanged');
  const review = (of: MaintenanceEntity, at: number): Decided =>
    decideMaintenance({ type: 'REVIEW', note: 'As planned.' }, of, stamp(at));
  t.equal(text(review(window, last - 1)), 'A window is reviewed when it is over.');
  const reviewed = entityOf(review(window, last));
  t.equal(text(review(reviewed, last)), 'Somebody has reviewed the window already.');
  let many = window;
  for (let n = 1; n <= LIMITS.windowChanges; n++) many = entityOf(change(many, { reason: `${n}` }, AT + n));
  t.equal(
    text(change(many, { reason: 'One more' }, AT + 100)),
    `A window is changed at most ${LIMITS.windowChanges} times.`,
  );
});

t.test('the note of each event says who did what', async (t) => {
  const notes = (decision: Decided): unknown[] =>
    decision.kind === 'changed'
      ? decision.events.map(({ type, note }) => [type, JSON.parse(note)])
      : [decision];
  const by = BY.email;
  const times = { from: iso(AT), to: iso(AT + 2 * HOUR_MS) };
  const window = entityOf(open());
  t.strictSame(notes(open()), [['OPEN_MAINTENANCE', { by, maintenance: 'Update', ...times }]]);
  const saturdays = weekly({ days: ['SAT'], from: '11:30', minutes: 10, timeZone: 'UTC' });
  t.strictSame(notes(open({ weekly: saturdays })), [
    ['OPEN_MAINTENANCE', { by, maintenance: 'Update', ...times, weekly: saturdays }],
  ]);
  t.strictSame(notes(change(window, { reason: 'Rollback' }, AT + 1)), [
    ['CHANGE_MAINTENANCE', { by, maintenance: 'Rollback', ...times }],
  ]);
  const ended = end(window, AT + HOUR_MS);
  t.strictSame(notes(ended), [['END_MAINTENANCE', { by, maintenance: 'Update' }]]);
  t.strictSame(entityOf(ended).revisions.at(-1), { at: AT + HOUR_MS, scope: DEVICE, intervals: [] });
  const review = { type: 'REVIEW', note: 'As planned.' } as const;
  t.strictSame(notes(decideMaintenance(review, entityOf(ended), stamp(AT + HOUR_MS))), [
    ['REVIEW_MAINTENANCE', { by, maintenance: 'Update', note: 'As planned.' }],
  ]);
  const nobody = { at: AT, version: 1, by: null };
  const made = decideMaintenance({ type: 'OPEN', id: 'w1', orgId: 'o1', given: given() }, undefined, nobody);
  t.equal(entityOf(made).createdBy, '', 'the system itself has no address');
  const late = { ...nobody, at: AT + DAY_MS };
  t.equal(entityOf(decideMaintenance(review, window, late)).review?.by, '');
  const whole: Covered = { everything: true, deviceIds: [], files: [], labels: [] };
  t.equal(notes(open({ scope: whole })).length, 1, 'one for the organisation');
  t.equal(notes(open({ scope: { ...whole, everything: false } })).length, 0, 'and none for nothing');
});
