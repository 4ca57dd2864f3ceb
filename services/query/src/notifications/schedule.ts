/** Computes when a notice goes out by mail. Pure. */
import type { NotificationRuleFields, NotificationSetting } from '@sentinel-node/contracts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { afterQuietHours, nextTimeOfDay } from './times-of-day.ts';

const HOUR_MINUTES = 60;
/** Most ends of quiet hours that are looked for: more than two days have. */
const QUIET_TURNS = 8;

type Schedule = Pick<NotificationRuleFields, 'how' | 'dailyHour' | 'zone' | 'quietHours' | 'urgent'>;
type PersonsHours = Pick<NotificationSetting, 'zone' | 'quietHours'>;

/**
 * Returns the time of the mail, in milliseconds since the Unix epoch.
 * @param person the recipient's own setting, if any
 */
export function dueAt(now: number, rule: Schedule, person: PersonsHours | undefined): number {
  const told = byPace(now, rule);
  return rule.urgent ? told : afterAllQuietHours(told, rule, person);
}

/** Returns the first time from `at` on in nobody's quiet hours; `at` when those of both leave none. */
function afterAllQuietHours(at: number, rule: Schedule, person: PersonsHours | undefined): number {
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
