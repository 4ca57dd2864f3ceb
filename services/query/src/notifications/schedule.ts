/** Computes when a notice goes out by mail. Pure. */
import type { NotificationRuleFields, NotificationSetting } from '@sentinel-node/contracts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { afterQuietHours, nextTimeOfDay } from './times-of-day.ts';

/** Quiet hours of a rule, in its zone. */
export type RuleHours = Pick<NotificationRuleFields, 'zone' | 'quietHours'>;

const HOUR_MINUTES = 60;
/** Most ends of quiet hours that are looked for: more than two days have. */
const QUIET_TURNS = 8;

type Schedule = Pick<NotificationRuleFields, 'how' | 'dailyHour' | 'zone' | 'quietHours' | 'urgent'>;
export type PersonsHours = Pick<NotificationSetting, 'zone' | 'quietHours'>;

/**
 * Returns the time of the mail, in milliseconds since the Unix epoch.
 * @param person the recipient's own setting, if any
 */
export function dueAt(now: number, rule: Schedule, person: PersonsHours | undefined): number {
  const told = byPace(now, rule);
  return rule.urgent ? told : afterAllQuietHours(told, rule, person);
}

/** Returns the quiet hours that hold up what a rule tells; undefined when it is urgent. */
export const hoursOf = ({ urgent, zone, quietHours }: Schedule): readonly RuleHours[] | undefined =>
  urgent ? undefined : [{ zone, quietHours }];

/**
 * Joins the hours of rules that tell the same; undefined when one of them is urgent. The result holds equal hours once, and only
 * those without quiet hours if there are any.
 */
export function joinedHours(
  one: readonly RuleHours[] | undefined,
  other: readonly RuleHours[] | undefined,
): readonly RuleHours[] | undefined {
  if (one === undefined || other === undefined) return undefined;
  const all = [...one, ...other];
  const free = all.find(({ quietHours }) => quietHours === null);
  if (free !== undefined) return [free];
  return [...new Map(all.map((hours) => [JSON.stringify(hours), hours])).values()];
}

/**
 * Returns the first time from `at` on at which a mail may go: in neither the person's quiet hours nor those of every rule.
 * @param rules undefined when a rule is urgent
 */
export function freeFrom(
  at: number,
  rules: readonly RuleHours[] | undefined,
  person: PersonsHours | undefined,
): number {
  if (rules === undefined || rules.length === 0) return at;
  return Math.min(...rules.map((rule) => afterAllQuietHours(at, rule, person)));
}

/** Returns the first time from `at` on in nobody's quiet hours; `at` when those of both leave none. */
function afterAllQuietHours(at: number, rule: RuleHours, person: PersonsHours | undefined): number {
  let free = at;
  for (let turn = 0; turn < QUIET_TURNS; turn += 1) {
    const afterRule = afterQuietHours(free, rule.quietHours, rule.zone);
    const afterBoth = afterQuietHours(afterRule, person?.quietHours ?? null, person?.zone ?? 'UTC');
    if (afterBoth === free) return free;
    free = afterBoth;
  }
  return at;
}

function byPace(now: number, { how, dailyHour, zone }: Schedule): number {
  if (how === 'AT_ONCE') return now + NOTIFICATION_LIMITS.settleMs;
  if (how === 'DAILY') return nextTimeOfDay(now, dailyHour * HOUR_MINUTES, zone);
  // All notices of one span get the same end, so that they go in one mail.
  const { gatherMs } = NOTIFICATION_LIMITS;
  return now - (now % gatherMs) + gatherMs;
}
