/** Rules, schedules and mailboxes: given, when, then; and what holds for whatever is given. */
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import {
  encodeChainRecord,
  EVENT_TYPES,
  KEY_ENDED,
  type ChainRecord,
  type NotificationRuleEntity,
  type NotificationRuleFields,
  type RegistryRecord,
} from '@sentinel-node/contracts';
import {
  emptied,
  emptyMailbox,
  holdsAll,
  withAdditions,
  withMails,
  hoursOfMail,
  withoutMails,
  withoutOptional,
  type Addition,
  type Mailbox,
} from '../src/notifications/mailbox.ts';
import { chainNotices, hasNotices, mayHaveNotices, stepReached } from '../src/notifications/chain-notices.ts';
import type { KnownNames } from '../src/notifications/known.ts';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import { meetsRule } from '../src/notifications/matching.ts';
import type { Notice } from '../src/notifications/notice.ts';
import { noticeMail } from '../src/notifications/notice-mail.ts';
import { causeId } from '../src/notifications/notice-id.ts';
import { registryNotices } from '../src/notifications/registry-notices.ts';
import { dueAt, joinedHours, type RuleHours } from '../src/notifications/schedule.ts';
import {
  beganNotice,
  endedNotice,
  unmonitoredNotice,
  type NoticeState,
} from '../src/notifications/states.ts';
import { afterQuietHours, minuteOfDay, minutesOf, nextTimeOfDay } from '../src/notifications/times-of-day.ts';
import { activationMail } from '../src/people/activation-mail.ts';
import { NEVER_MET } from '../src/registry/never-told.ts';
import { DEFAULT_RULE, decideNotificationRule } from '../src/registry/notification-rule.ts';
import { deviceNotice, FileHistory } from './chain-records.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const by = { userId: 'u', email: 'ada@example.org' };
const stamp = { at: AT, version: 1, by };
const of = { id: 'r', orgId: 'o' };
const { settleMs, mailsPerHour, storm, stormMs, longStormMs } = NOTIFICATION_LIMITS;

const notice = (n: number, more: Partial<Notice> = {}): Notice => ({
  id: causeId(AT, String(n)),
  type: 'alert.raised',
  orgId: 'o',
  at: new Date(AT).toISOString(),
  severity: 'warning',
  orderKey: 'a',
  text: `Number ${n}.`,
  device: { id: 'd', name: 'Web 1' },
  file: { id: 'f', path: 'a.log' },
  alert: { id: `A${n}`, type: 'HASH_BREACH', status: 'ACTIVE' },
  category: 'STANDARD',
  ...more,
});
const added = (n: number, at = AT, required = false): Addition => ({
  waiting: { notice: notice(n), rule: 'R', required, single: true, addedAt: at, dueAt: at + settleMs },
  place: { partition: 'chain/0', next: n + 1 },
});
const several = (count: number, at = AT, first = 0): Addition[] =>
  Array.from({ length: count }, (_, n) => added(first + n, at));
const MAILBOX = emptyMailbox({ id: 'o:user:u', orgId: 'o', userId: 'u', address: null });
/** As the sender does: what has nothing to hand on is looked at when it says. */
function sent(mailbox: Mailbox): Mailbox {
  if (mailbox.sending.length === 0) return mailbox;
  const ids = mailbox.sending.map(({ id }) => id);
  return withoutMails(mailbox, ids);
}

function entityOf(decision: ReturnType<typeof decideNotificationRule>): NotificationRuleEntity {
  if (decision.kind !== 'changed') throw new Error(decision.kind);
  return decision.entity;
}
const eventOf = (decision: ReturnType<typeof decideNotificationRule>): unknown =>
  decision.kind === 'changed' &&
  decision.events.map(({ type, note }) => ({ type, ...(JSON.parse(note) as object) }));

t.test('a rule is made, changed and deleted, and each says who did it', async (t) => {
  const fields: NotificationRuleFields = { ...DEFAULT_RULE, name: 'Nights' };
  const made = decideNotificationRule({ type: 'MAKE', of, fields }, undefined, stamp);
  t.strictSame(entityOf(made), {
    kind: 'NOTIFICATION_RULE',
    ...of,
    ...fields,
    changedAt: AT,
    changedBy: by.email,
    deleted: false,
  });
  t.strictSame(eventOf(made), [{ type: 'CREATE_NOTIFICATION_RULE', by: by.email, rule: 'Nights' }]);
  const rule = entityOf(made);
  t.match(decideNotificationRule({ type: 'MAKE', of, fields }, rule, stamp), { code: 'CONFLICT' });
  t.match(decideNotificationRule({ type: 'CHANGE', of, fields }, rule, stamp), { kind: 'unchanged' });
  const other = { ...fields, enabled: false, to: { ...fields.to, addresses: ['a@example.org'] } };
  const changed = decideNotificationRule({ type: 'CHANGE', of, fields: other }, rule, stamp);
  t.strictSame(eventOf(changed), [
    { type: 'MODIFY_NOTIFICATION_RULE', by: by.email, rule: 'Nights', changed: ['enabled', 'to'] },
  ]);
  const deleted = decideNotificationRule({ type: 'DELETE', of }, rule, stamp);
  t.match(entityOf(deleted), { deleted: true, name: 'Nights' });
  t.strictSame(eventOf(deleted), [{ type: 'DELETE_NOTIFICATION_RULE', by: by.email, rule: 'Nights' }]);
  for (const type of ['CHANGE', 'DELETE'] as const) {
    const command = { type, of, fields };
    t.match(decideNotificationRule(command, entityOf(deleted), stamp), { code: 'NOT_FOUND' });
    t.match(decideNotificationRule(command, undefined, stamp), { code: 'NOT_FOUND' });
    const foreign = { ...command, of: { ...of, orgId: 'other' } };
    t.match(decideNotificationRule(foreign, rule, stamp), { code: 'NOT_FOUND' }, 'of another organisation');
  }
});

t.test('a rule that could tell nobody, or nothing, is refused', async (t) => {
  const nobody = { administrators: false, userIds: [], addresses: [], webhookIds: [] };
  const problem = (fields: Partial<NotificationRuleFields>): string => {
    const made = decideNotificationRule(
      { type: 'MAKE', of, fields: { ...DEFAULT_RULE, ...fields } },
      undefined,
      stamp,
    );
    return made.kind === 'refused'
      ? (made.errors ?? []).map(({ path, message }) => `${path} ${message}`).join()
      : '';
  };
  const id = '00000000-0000-4000-8000-000000000001';
  t.equal(problem({ to: nobody }), '/to names nobody');
  t.equal(problem({ to: { ...nobody, administrators: true } }), '');
  t.equal(problem({ to: { ...nobody, userIds: [id] } }), '', 'one kind is enough');
  t.equal(problem({ to: { ...nobody, addresses: ['a@example.org'] } }), '');
  t.equal(problem({ to: { ...nobody, webhookIds: [id] } }), '');
  const when = { ...DEFAULT_RULE.when, severity: 'critical' } as const;
  t.equal(problem({ when: { ...when, types: ['device.returned'] } }), `/when ${NEVER_MET}`);
  t.equal(problem({ when: { ...when, types: ['device.returned', 'alert.raised'] } }), '', 'one type is left');
  t.equal(problem({ zone: 'Mars/Base' }), '/zone is no time zone');
  t.equal(problem({ zone: 'Europe/Vienna' }), '');
  t.equal(
    problem({ quietHours: { from: '22:00', to: '22:00' } }),
    '/quietHours/to must differ from the beginning',
  );
  t.equal(problem({ quietHours: { from: '22:00', to: '06:00' } }), '');
});

t.test('the default rule is there without having been made', async (t) => {
  const own = { id: 'o', orgId: 'o' };
  const fields = { ...DEFAULT_RULE, enabled: false };
  const off = decideNotificationRule({ type: 'CHANGE', of: own, fields }, undefined, stamp);
  t.match(entityOf(off), { id: 'o', enabled: false });
  matchList(t, eventOf(off), [{ changed: ['enabled'] }]);
  t.match(decideNotificationRule({ type: 'CHANGE', of: own, fields: DEFAULT_RULE }, undefined, stamp), {
    kind: 'unchanged',
  });
  t.match(entityOf(decideNotificationRule({ type: 'DELETE', of: own }, undefined, stamp)), { deleted: true });
});

t.test('a rule that can tell nobody, or at no time, is refused', async (t) => {
  const wrong: [Partial<NotificationRuleFields>, string][] = [
    [{ to: { administrators: false, userIds: [], addresses: [], webhookIds: [] } }, '/to'],
    [{ zone: 'Mars/Olympus' }, '/zone'],
    [{ quietHours: { from: '08:00', to: '08:00' } }, '/quietHours/to'],
  ];
  for (const [more, path] of wrong) {
    const fields = { ...DEFAULT_RULE, ...more };
    const decision = decideNotificationRule({ type: 'MAKE', of, fields }, undefined, stamp);
    matchWhole(t, decision, { code: 'VALIDATION_FAILED', errors: [{ path }] }, path);
  }
});

t.test('a notice meets a rule by each of its conditions', async (t) => {
  const rule = (when: Partial<NotificationRuleFields['when']>) => ({
    enabled: true,
    when: { ...DEFAULT_RULE.when, ...when },
  });
  t.ok(meetsRule(rule({}), notice(1), []));
  t.notOk(meetsRule({ ...rule({}), enabled: false }, notice(1), []));
  const cases: [Partial<NotificationRuleFields['when']>, boolean][] = [
    [{ types: ['device.lost'] }, false],
    [{ alertTypes: ['EMPTY'] }, false],
    [{ alertTypes: ['EMPTY', 'HASH_BREACH'] }, true],
    [{ deviceIds: ['other'] }, false],
    [{ deviceIds: ['d'] }, true],
    [{ deviceIds: ['other'], fileIds: ['f'] }, true],
    [{ fileIds: ['other'] }, false],
    [{ labels: ['site:wien'] }, false],
    [{ labels: ['site:wien', 'site:graz'] }, true],
    [{ labels: ['site:wien'], deviceIds: ['d'] }, true],
    [{ labels: ['site:graz'], deviceIds: ['other'] }, true],
    [{ labels: [] }, true],
    [{ categories: ['MISSION_CRITICAL'] }, false],
    [{ categories: ['STANDARD'] }, true],
    [{ severity: 'critical' }, false],
    [{ severity: 'warning' }, true],
  ];
  for (const [when, met] of cases)
    t.equal(meetsRule(rule(when), notice(1), ['site:graz']), met, JSON.stringify(when));
  const about = { alert: undefined, device: undefined, file: undefined, category: undefined };
  const { alert: _, device: __, file: ___, category: ____, ...bare } = { ...notice(1), ...about };
  t.ok(meetsRule(rule({ alertTypes: ['EMPTY'] }), bare, []), 'what is no alert has no type of alert');
  const narrow: Parameters<typeof rule>[0] = {
    deviceIds: ['d'],
    fileIds: ['f'],
    labels: ['site:graz'],
    categories: ['STANDARD'],
  };
  t.ok(meetsRule(rule(narrow), bare, []), 'what is of no device is not limited to devices');
  t.notOk(meetsRule(rule({ ...narrow, severity: 'critical' }), { ...bare, severity: 'info' }, []));
});

t.test('occurrences are told at 10, 100 and 1,000', async (t) => {
  t.strictSame(
    [
      [1, 2],
      [8, 9],
      [9, 10],
      [10, 11],
      [99, 100],
      [5, 120],
      [120, 130],
      [999, 1_000],
    ].map(([before = 0, now = 0]) => stepReached(before, now)),
    [undefined, undefined, 10, undefined, 100, 100, undefined, 1_000],
  );
  const run = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 30 });
  fc.assert(
    fc.property(run, (increases) => {
      const told: number[] = [];
      let count = 1;
      for (const increase of increases) {
        const step = stepReached(count, (count += increase));
        if (step !== undefined) told.push(step);
      }
      return (
        told.every((step, at) => at === 0 || step > told[at - 1]!) && told.every((step) => step <= count)
      );
    }),
  );
});

const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe'] as const;
const MOMENTS = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2028, 0, 1) });

t.test('a time of day comes within 25 hours, and clocks show it, in every zone', async () => {
  fc.assert(
    fc.property(
      MOMENTS,
      fc.integer({ min: 0, max: 1_439 }),
      fc.constantFrom(...ZONES),
      (at, minute, zone) => {
        const next = nextTimeOfDay(at, minute, zone);
        const shown = minuteOfDay(next, zone);
        const isLeftOut = (shown - minute + 1_440) % 1_440 <= 60;
        return next > at && next <= at + 26 * HOUR_MS && (shown === minute || isLeftOut);
      },
    ),
    { numRuns: 500 },
  );
});

t.test('nights in which clocks change', async (t) => {
  const berlin = 'Europe/Berlin';
  const utc = (day: number, hour: number, minute = 0): number => Date.UTC(2026, 2, day, hour, minute);
  t.equal(nextTimeOfDay(utc(28, 20), minutesOf('07:00'), berlin), utc(29, 5), 'an hour earlier in UTC');
  t.equal(nextTimeOfDay(utc(28, 20), minutesOf('02:30'), berlin), utc(29, 1, 30), 'left out: 03:30');
  const autumn = Date.UTC(2026, 9, 24, 20);
  t.equal(nextTimeOfDay(autumn, minutesOf('07:00'), berlin), Date.UTC(2026, 9, 25, 6));

  const night = { from: '22:00', to: '07:00' };
  t.equal(afterQuietHours(utc(28, 20, 59), night, berlin), utc(28, 20, 59), '21:59: not quiet yet');
  t.equal(afterQuietHours(utc(28, 21), night, berlin), utc(29, 5), 'a night of eight hours');
  t.equal(afterQuietHours(autumn, night, berlin), Date.UTC(2026, 9, 25, 6), 'of ten');
  const early = { from: '01:00', to: '02:30' };
  const twice = Date.UTC(2026, 9, 25, 0, 10);
  t.equal(afterQuietHours(twice, early, berlin), Date.UTC(2026, 9, 25, 0, 30), 'the first 02:30');
  const again = Date.UTC(2026, 9, 25, 1, 10);
  t.equal(
    afterQuietHours(again, early, berlin),
    Date.UTC(2026, 9, 25, 1, 30),
    'quiet in the hour that repeats',
  );
  const person = { zone: berlin, quietHours: night };
  t.equal(
    dueAt(utc(28, 21), { ...DEFAULT_RULE, urgent: false }, person),
    utc(29, 5),
    'in the zone of the person',
  );
});

t.test('mails wait for the end of quiet hours, also over midnight', async (t) => {
  const night = { from: '22:00', to: '06:00' };
  const at = (hour: number): number => Date.UTC(2026, 10, 21, hour);
  t.equal(afterQuietHours(at(12), night, 'UTC'), at(12));
  t.equal(afterQuietHours(at(22), night, 'UTC'), at(30));
  t.equal(afterQuietHours(at(5), night, 'UTC'), at(6));
  t.equal(afterQuietHours(at(6), night, 'UTC'), at(6));
  t.equal(afterQuietHours(at(12), { from: '12:00', to: '13:00' }, 'UTC'), at(13));
  t.equal(afterQuietHours(at(22), null, 'UTC'), at(22));

  const quiet = { ...DEFAULT_RULE, quietHours: { from: '11:00', to: '13:00' } };
  t.equal(dueAt(AT, DEFAULT_RULE, undefined), AT + settleMs);
  t.equal(dueAt(AT, quiet, undefined), at(13));
  t.equal(dueAt(AT, quiet, { zone: 'UTC', quietHours: { from: '13:00', to: '15:00' } }), at(15));
  const rule = {
    ...{ ...DEFAULT_RULE, zone: 'Europe/Berlin' },
    quietHours: { from: '20:00', to: '08:00' },
  };
  const person = { zone: 'Asia/Tokyo', quietHours: { from: '22:00', to: '08:00' } };
  const inTokyosNight = Date.UTC(2026, 6, 1, 14);
  t.equal(dueAt(inTokyosNight, rule, person), Date.UTC(2026, 6, 2, 6), 'whose end is in that of the rule');
  const halves = { ...DEFAULT_RULE, zone: 'UTC', quietHours: { from: '00:00', to: '12:00' } };
  const other = { zone: 'UTC', quietHours: { from: '12:00', to: '00:00' } };
  t.equal(dueAt(AT, halves, other), AT + settleMs, 'together they leave no time');
  t.equal(dueAt(AT, { ...quiet, urgent: true }, undefined), AT + settleMs, 'urgent: at once');
  t.equal(dueAt(AT + 1, { ...DEFAULT_RULE, how: 'GATHERED' }, undefined), AT + 5 * MINUTE_MS);
  const daily = { ...DEFAULT_RULE, how: 'DAILY', dailyHour: 8, zone: 'Europe/Berlin' } as const;
  t.equal(dueAt(AT, daily, undefined), Date.UTC(2026, 10, 22, 7));
});

const NIGHT = { from: '12:01', to: '20:00' };
const MORNING = Date.UTC(2026, 10, 21, 20);
const withHours = (additions: readonly Addition[], hours: readonly RuleHours[]): Addition[] =>
  additions.map((one) => ({ ...one, waiting: { ...one.waiting, hours } }));
/** Of a rule without quiet hours. */
const ANY_TIME: RuleHours = { zone: 'UTC', quietHours: null };

t.test(
  'a storm that would be told within quiet hours waits for their end, unless it is urgent',
  async (t) => {
    const ofRule = [{ zone: 'UTC', quietHours: NIGHT }];
    const person = { zone: 'UTC', quietHours: NIGHT };
    const many = NOTIFICATION_LIMITS.waiting + storm;
    for (const [hours, own] of [
      [ofRule, undefined],
      [[ANY_TIME], person],
    ] as const) {
      const gathers = withMails(withAdditions(MAILBOX, withHours(several(many), hours)), AT + settleMs, own);
      t.equal(gathers.nextAt, AT + stormMs);
      const held = withMails(gathers, AT + stormMs, own);
      t.strictSame([held.sending, held.nextAt], [[], MORNING]);
      const [mail, ...more] = withMails(held, MORNING, own).sending;
      t.strictSame([mail!.waiting.length + mail!.overflow!.count, more], [many, []]);
    }
    const urgent = withAdditions(MAILBOX, several(storm));
    t.equal(withMails(urgent, AT + stormMs, person).sending.length, 1);
    const eitherRule = [...ofRule, ANY_TIME];
    const free = withAdditions(MAILBOX, withHours(several(storm), eitherRule));
    t.equal(withMails(free, AT + stormMs).sending.length, 1, 'another rule tells it at any time');
  },
);

t.test('what the hourly limit delays into quiet hours waits for their end', async (t) => {
  const person = { zone: 'UTC', quietHours: NIGHT };
  const sentAt = Array.from({ length: mailsPerHour }, () => AT - MINUTE_MS);
  const full = { ...MAILBOX, sentAt };
  const late = withMails(withAdditions(full, withHours(several(1), [ANY_TIME])), AT + settleMs, person);
  t.equal(late.nextAt, AT - MINUTE_MS + HOUR_MS);
  const held = withMails(late, late.nextAt!, person);
  t.strictSame([held.sending, held.nextAt], [[], MORNING]);
  t.equal(withMails(held, MORNING, person).sending.length, 1);
});

t.test('what a clock added or sent while it was ahead delays nothing after it was set back', async (t) => {
  const ahead = AT + 3 * HOUR_MS;
  const late = withMails(withAdditions(MAILBOX, [added(0, ahead)]), AT);
  t.equal(late.nextAt, AT + settleMs, 'it waits as long as it would have');
  t.ok(late.setAt! <= AT);
  t.equal(withMails(late, AT + settleMs).sending.length, 1);
  const full = { ...MAILBOX, sentAt: Array.from({ length: mailsPerHour }, () => ahead), stormAt: ahead };
  t.equal(withMails(withAdditions(full, several(1)), AT + settleMs).sending.length, 1);
  const storm1 = withMails(withAdditions(full, several(storm)), AT + settleMs);
  t.equal(withMails(storm1, AT + stormMs).sending.length, 1, 'no storm goes on');
  const waits = withAdditions(withAdditions(MAILBOX, [added(0, ahead)]), several(1, AT, 1));
  t.equal(waits.setAt, ahead, 'by which it is found');
});

t.test('the hours of several rules are joined: an urgent one waits for none', async (t) => {
  const night = [{ zone: 'UTC', quietHours: NIGHT }];
  t.strictSame(joinedHours(night, night), night);
  t.strictSame(joinedHours(night, [ANY_TIME]), [ANY_TIME]);
  t.equal(joinedHours(night, undefined), undefined);
  t.equal(joinedHours(undefined, night), undefined);
  const [one, other] = [added(0).waiting, withHours([added(1)], night)[0]!.waiting];
  t.equal(hoursOfMail({ waiting: [one, other], overflow: null }), undefined);
  t.strictSame(hoursOfMail({ waiting: [other], overflow: null }), night);
});

t.test('a few notices are a mail each, in the thread of their alert', async (t) => {
  const waiting = withAdditions(MAILBOX, several(2));
  t.equal(waiting.nextAt, AT + settleMs);
  t.strictSame(withMails(waiting, AT).sending, [], 'not before others of the same moment had time');
  const planned = withMails(waiting, AT + settleMs);
  t.strictSame(
    planned.sending.map((one) => one.waiting.map(({ notice }) => notice.id)),
    [[notice(0).id], [notice(1).id]],
  );
  t.strictSame(withMails(planned, AT + HOUR_MS), planned, 'what is under way is not made anew');
  const after = sent(planned);
  t.strictSame([after.waiting, after.sending, after.nextAt], [[], [], undefined]);
});

t.test('a storm of 10,000 in a minute is one mail that says so', async (t) => {
  let mailbox = MAILBOX;
  const mails: number[] = [];
  for (let second = 0; second < 60; second++) {
    mailbox = withAdditions(mailbox, several(167, AT + second * 1_000, second * 167));
    const planned = withMails(mailbox, AT + second * 1_000 + 500);
    for (const { waiting, overflow } of planned.sending) mails.push(waiting.length + (overflow?.count ?? 0));
    mailbox = sent(planned);
  }
  t.strictSame(mails, []);
  const planned = withMails(mailbox, AT + stormMs);
  t.equal(planned.sending.length, 1);
  const [outgoing] = planned.sending;
  const mail = noticeMail(outgoing!, {
    to: 'a@example.org',
    organization: 'Acme',
    publicUrl: 'https://s',
    unsubscribeUrl: 'https://s/u/t',
    isUser: true,
  });
  t.match(mail.subject, '10,020 notifications');
  t.match(mail.text, 'And 9,970 more of the kind “A new alert”.');
  t.ok(Buffer.byteLength(JSON.stringify(mailbox)) < 64 * 1_024, 'what waits is bounded');

  const goesOn = withAdditions(sent(planned), several(storm, AT + stormMs + 1, 20_000));
  t.strictSame(
    withMails(goesOn, AT + 2 * stormMs).sending,
    [],
    'a storm that goes on is told every five minutes',
  );
  t.equal(withMails(goesOn, AT + stormMs + 1 + longStormMs).sending.length, 1);
});

t.test('a recipient gets a bounded number of mails an hour, and no notice is lost', async () => {
  const steps = fc.array(
    fc.record({
      count: fc.integer({ min: 0, max: 40 }),
      waitMs: fc.integer({ min: 1_000, max: 20 * MINUTE_MS }),
    }),
    { minLength: 1, maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (given) => {
      let [mailbox, now, count, told] = [MAILBOX, AT, 0, 0];
      const mailTimes: number[] = [];
      const look = (): void => {
        const planned = withMails(mailbox, now);
        for (const { waiting, overflow } of planned.sending) {
          mailTimes.push(now);
          told += waiting.length + (overflow?.count ?? 0);
        }
        mailbox = sent(planned);
      };
      for (const step of given) {
        mailbox = withAdditions(mailbox, several(step.count, now, count));
        count += step.count;
        now += step.waitMs;
        look();
      }
      for (let more = 0; more < 200 && mailbox.nextAt !== undefined; more++) {
        now = Math.max(now, mailbox.nextAt);
        look();
      }
      const inHour = mailTimes.map((at) => mailTimes.filter((one) => one >= at && one < at + HOUR_MS).length);
      return told === count && inHour.every((mails) => mails <= mailsPerHour);
    }),
  );
});

t.test('whatever comes again is told once, wherever a batch begins', async () => {
  const cuts = fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { maxLength: 20 });
  fc.assert(
    fc.property(cuts, (batches) => {
      let mailbox = MAILBOX;
      let end = 0;
      // As a log delivers: from where it was committed, or from before, without a gap.
      for (const [start, length] of batches) {
        const from = Math.min(start, end);
        mailbox = withAdditions(mailbox, several(length, AT, from));
        end = Math.max(end, from + length);
      }
      const { waiting, overflow } = mailbox;
      const ids = new Set(waiting.map(({ notice }) => notice.id));
      return waiting.length + (overflow?.count ?? 0) === end && ids.size === waiting.length;
    }),
  );
});

t.test('what is due now is told by name and alone, however much waits for later', async (t) => {
  const { waiting: most } = NOTIFICATION_LIMITS;
  const inMorning = AT + 8 * HOUR_MS;
  const later = several(most + 10).map(({ waiting, place }): Addition => {
    return { waiting: { ...waiting, single: false, dueAt: inMorning }, place: place! };
  });
  const night = AT + HOUR_MS;
  const urgent = [added(most + 10, night), added(most + 11, night)];
  const planned = withMails(withAdditions(withAdditions(MAILBOX, later), urgent), night + settleMs);
  t.strictSame(
    planned.sending.map(({ waiting, overflow }) => [waiting.map(({ notice }) => notice.id), overflow]),
    urgent.map(({ waiting }) => [[waiting.notice.id], null]),
  );
  const rest = sent(planned);
  t.equal(rest.nextAt, inMorning);
  t.strictSame(withMails(rest, inMorning - 2 * settleMs).sending, []);
  const [morning, ...more] = withMails(rest, inMorning).sending;
  t.strictSame([morning!.waiting.length + morning!.overflow!.count, more], [most + 10, []]);
  t.equal(morning!.overflow!.count, 12, 'the two took the places of others');
});

t.test('notices of later delay no notice of now, as a storm would', async (t) => {
  const later = several(storm).map(({ waiting, place }): Addition => {
    return { waiting: { ...waiting, single: false, dueAt: AT + HOUR_MS }, place: place! };
  });
  const both = withAdditions(withAdditions(MAILBOX, later), [added(storm)]);
  t.equal(withMails(both, AT + settleMs).sending.length, 1);
});

t.test('a notice without a record is told once too', async (t) => {
  const { place: _, ...bare } = added(1);
  const planned = withMails(withAdditions(withAdditions(MAILBOX, [bare]), [bare]), AT + settleMs);
  t.equal(planned.sending.length, 1);
  t.strictSame(withAdditions(sent(planned), [bare]).waiting, [], 'also after its mail');
});

t.test('many notices without a record are told once, whatever else comes between', async (t) => {
  const bare = several(500).map(({ waiting }): Addition => ({ waiting }));
  const both = [...bare, ...several(700, AT, 500)];
  const mailbox = withAdditions(withAdditions(MAILBOX, both), several(300, AT, 1_200));
  t.ok(holdsAll(mailbox, both), 'or it is written again and again');
  t.equal(withAdditions(mailbox, both).overflow!.count + mailbox.waiting.length, 1_500);
  const { recentOfLooks: _, ...earlier } = { ...withAdditions(MAILBOX, bare.slice(0, 9)) };
  t.ok(
    holdsAll(
      { ...earlier, recent: bare.slice(0, 9).map(({ waiting }) => waiting.notice.id) },
      bare.slice(0, 9),
    ),
  );
});

t.test('only what is required stays for someone who switched mails off', async (t) => {
  const both = withAdditions(MAILBOX, [added(0), added(1, AT, true)]);
  t.strictSame(
    withoutOptional(both).waiting.map(({ required }) => required),
    [true],
  );
  const many = withAdditions(MAILBOX, several(NOTIFICATION_LIMITS.waiting + 1));
  t.strictSame([withoutOptional(many).waiting, withoutOptional(many).overflow], [[], null]);
  const stranger = { ...both, id: 'o:address:a', userId: null, address: 'a@example.org' };
  const left = withoutOptional(
    withMails(withAdditions(stranger, [added(2, AT + HOUR_MS, true)]), AT + settleMs),
  );
  t.strictSame([left.waiting, left.sending], [[], []], 'nothing is required of who is no user');
  const made = withMails(withAdditions(MAILBOX, [added(0), added(1)]), AT + settleMs);
  t.equal(made.sending.length, 2);
  t.strictSame(withoutOptional(made).sending, [], 'also of mails that wait for the next hour');
  const mixed = { ...made.sending[0]!, waiting: both.waiting };
  t.strictSame(
    withoutOptional({ ...made, sending: [mixed] }).sending.map(({ waiting }) => waiting.length),
    [1],
    'what is required goes without the rest',
  );
  const gone = emptied(withMails(both, AT + settleMs));
  t.strictSame([gone.waiting, gone.sending, gone.nextAt], [[], [], undefined]);
});

t.test('a mail says what, where and since when, and links there; names stay text', async (t) => {
  const evil = '<img src=x onerror=alert(1)>\r\nBcc: victim@example.org';
  const since = new Date(AT - HOUR_MS).toISOString();
  const raised = notice(1, { text: `New: ${evil}`, file: { id: 'f', path: evil }, since });
  const waiting = { notice: raised, rule: evil, required: false, single: true, addedAt: AT, dueAt: AT };
  const place = {
    to: 'a@example.org',
    organization: 'Acme',
    publicUrl: 'https://s.example',
    unsubscribeUrl: 'https://s.example/u/t',
    isUser: true,
  };
  const mail = noticeMail({ id: 'm', waiting: [waiting], overflow: null }, place);
  t.equal(mail.thread, 'alert-A1');
  t.notMatch(mail.subject, /[\r\n]/);
  t.notMatch(mail.html, /<img/);
  t.notMatch(mail.text, /^Bcc:/m);
  t.match(mail.text, 'When: 2026-11-21 12:00:00 UTC');
  t.match(mail.text, 'Since: 2026-11-21 11:00:00 UTC');
  t.equal(mail.links[0], 'https://s.example/alerts-history?alert=A1&in=d');
  t.strictSame(mail.headers, {
    'List-Unsubscribe': '<https://s.example/u/t>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
  t.equal(mail.links.at(-1), 'https://s.example/notifications');
  const outside = noticeMail({ id: 'm', waiting: [waiting], overflow: null }, { ...place, isUser: false });
  t.equal(outside.links.length, 1, 'who cannot sign in is not sent there');
  const handled = { ...waiting, notice: { ...raised, type: 'alert.handled' } as const };
  t.equal(noticeMail({ id: 'n', waiting: [handled], overflow: null }, place).subject, `Re: ${mail.subject}`);
  const required = noticeMail({ id: 'm', waiting: [{ ...waiting, required: true }], overflow: null }, place);
  t.equal(required.headers, undefined, 'what is required cannot be switched off');
  const stranger = noticeMail(
    { id: 'm', waiting: [{ ...waiting, required: true }], overflow: null },
    { ...place, isUser: false },
  );
  t.strictSame(stranger.headers, mail.headers, 'except by who is no user');
  const numbers = { count: 3, types: { 'alert.raised': 3 }, required: false, addedAt: AT, dueAt: AT };
  const onlyNumbers = { id: 'm', waiting: [], overflow: numbers };
  t.strictSame(noticeMail(onlyNumbers, place).headers, mail.headers, 'a mail of numbers alone too');
  const requiredNumbers = { ...onlyNumbers, overflow: { ...numbers, required: true } };
  t.equal(noticeMail(requiredNumbers, place).headers, undefined);
  const lost = {
    ...waiting,
    notice: { ...notice(2), type: 'file.lost', alert: undefined } as unknown as Notice,
  };
  t.equal(
    noticeMail({ id: 'l', waiting: [lost], overflow: null }, place).links[0],
    'https://s.example/device/d?file=f',
  );
});

const uuid = (n: number): string => `019aa5f0-7c00-7a10-8000-00000000000${n}`;

t.test('only records that can tell something are read', async (t) => {
  const history = new FileHistory({ orgId: uuid(1), deviceId: uuid(2), fileId: uuid(3) }, AT);
  const body = (record: ChainRecord): Uint8Array => Buffer.from(JSON.stringify(record));
  const records = { baseline: history.baseline(), breach: history.breach() };
  const again = history.again(records.breach.alerts[0]!.id);
  for (const of of [body, encodeChainRecord]) {
    t.notOk(mayHaveNotices(of(records.baseline)));
    t.ok(mayHaveNotices(of(records.breach)));
    t.ok(mayHaveNotices(of(again)));
    t.ok(mayHaveNotices(of(deviceNotice(history.key, AT, KEY_ENDED))));
  }
  t.notOk(mayHaveNotices(body(deviceNotice(history.key, AT, 'OTHER'))));
});

t.test('an agent that is shut out is told, and occurrences of an alert by their number', async (t) => {
  const known: KnownNames = {
    device: (id) => ({ id, name: 'Web 1' }),
    file: (id) => ({ id, path: 'a.log' }),
  };
  const key = { orgId: 'o', deviceId: 'd', fileId: 'f' };
  const [shutOut, ...none] = chainNotices(deviceNotice(key, AT, KEY_ENDED), known);
  t.match(shutOut, { type: 'agent.blind', orderKey: 'd', severity: 'warning', device: { name: 'Web 1' } });
  t.strictSame([none, chainNotices(deviceNotice(key, AT, 'OTHER'), known)], [[], []]);
  const ofFile = { ...deviceNotice(key, AT, KEY_ENDED), fileId: key.fileId };
  t.strictSame(chainNotices(ofFile, known), [], 'an agent may give any code as the reason of a file');
  t.notOk(hasNotices(ofFile));
  const history = new FileHistory(key, AT);
  const { id } = history.breach().alerts[0]!;
  const told = Array.from({ length: 11 }, () => chainNotices(history.again(id), known)).flat();
  matchList(t, told, [
    {
      type: 'alert.continued',
      orderKey: id,
      text: 'The alert Hash breach occurred 10 times: a.log on Web 1.',
    },
  ]);
  const critical = chainNotices({ ...history.breach(), category: 'MISSION_CRITICAL' }, known);
  matchList(t, critical, [{ type: 'alert.raised', severity: 'critical', category: 'MISSION_CRITICAL' }]);
});

/** A person would read `web-exe.png`. */
const TURNED = 'web-\u202egnp.exe';
const SEEN = String.raw`web-\u202egnp.exe`;

t.test('a sentence shows the signs that turn a name; the members have the name as it is', async (t) => {
  const known: KnownNames = {
    device: (id) => ({ id, name: TURNED }),
    file: (id) => ({ id, path: TURNED }),
  };
  const key = { orgId: 'o', deviceId: 'd', fileId: 'f' };
  const device = { kind: 'DEVICE', id: 'd', name: TURNED, deleted: true, files: [], removedFiles: [] };
  const events = [
    { id: 'e', type: 'DELETE_DEVICE_FORCED', deviceId: 'd', fileId: null, note: '{"by":null}' },
  ];
  const deleted = { v: 1, orgId: 'o', at: AT, version: 2, by, entity: device, events };
  const state: NoticeState = {
    ...{ id: 'LOST:f', rev: 1, orgId: 'o', kind: 'LOST', deviceId: 'd', fileId: 'f', category: 'STANDARD' },
    ...{ deviceName: TURNED, path: TURNED, why: null, since: AT, told: true, endedAt: AT },
  };
  const told = [
    ...chainNotices(deviceNotice(key, AT, KEY_ENDED), known),
    ...chainNotices(new FileHistory(key, AT).breach(), known),
    ...registryNotices(deleted as unknown as RegistryRecord),
    beganNotice(state),
    endedNotice(state),
    unmonitoredNotice(state),
  ];
  t.equal(told.length, 6);
  for (const notice of told) {
    t.notMatch(notice?.text, /\u202e/);
    t.match(notice?.text, SEEN);
    t.equal(notice?.device?.name, TURNED);
  }
});

t.test('nothing of a mail turns the text after it', async (t) => {
  const raised = notice(1, {
    text: `New: ${TURNED}.`,
    device: { id: 'd', name: TURNED },
    file: { id: 'f', path: `/srv/${TURNED}` },
  });
  const waiting = { notice: raised, rule: TURNED, required: false, single: true, addedAt: AT, dueAt: AT };
  const place = {
    to: 'a@example.org',
    organization: TURNED,
    publicUrl: 'https://s.example',
    unsubscribeUrl: 'https://s.example/u/t',
    isUser: true,
  };
  const mails = [
    noticeMail({ id: 'm', waiting: [waiting], overflow: null }, place),
    noticeMail({ id: 'n', waiting: [waiting, waiting], overflow: null }, place),
    activationMail({ to: 'a@example.org', userName: TURNED, organizationName: TURNED, link: 'https://s/c' }),
  ];
  for (const { subject, text, html } of mails)
    for (const part of [subject, text, html]) t.notMatch(part, /\u202e/);
  t.match(mails[0]?.subject, SEEN);
  t.match(mails[0]?.text, `File: /srv/${SEEN}`);
  t.match(mails[2]?.html, `Hello ${SEEN},`);
});

t.test('nothing that telling changes is told: a rule cannot tell of itself for ever', async (t) => {
  const device = {
    kind: 'DEVICE',
    id: 'd',
    name: 'Web 1',
    files: [],
    removedFiles: [],
    category: 'STANDARD',
  };
  const told = (entity: object): Notice[] =>
    EVENT_TYPES.flatMap((type) => {
      const events = [{ id: `e-${type}`, type, deviceId: null, fileId: null, note: '{"by":null}' }];
      const record = { v: 1, orgId: 'o', at: AT, version: 2, by, entity, events };
      return registryNotices(record as unknown as RegistryRecord);
    });
  t.ok(told(device).length > 0);
  for (const kind of [
    'NOTIFICATION_RULE',
    'WEBHOOK',
    'SERVICE_TOKEN',
    'MAINTENANCE',
    'EXPECTED',
    'ORGANIZATION',
  ])
    t.strictSame(told({ ...device, kind }), [], kind);
});

t.test('the same cause has the same id', async (t) => {
  t.equal(causeId(AT, 'a', 'b'), causeId(AT, 'a', 'b'));
  t.not(causeId(AT, 'a', 'b'), causeId(AT, 'ab'));
  t.not(causeId(AT, 'a', 'b'), causeId(AT, 'a', 'c'));
});
