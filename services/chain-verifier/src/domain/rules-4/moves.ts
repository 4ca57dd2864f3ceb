import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { waitOf } from '../rules-3/report.ts';
import type { ReportSource } from '../source.ts';

type PolicyChanged = Extract<DomainEvent, { type: 'POLICY_CHANGED' }>;

/** Returns the events with `moved` in that of a policy with another path. */
export function withMove(events: readonly DomainEvent[], { policy: known }: Head): readonly DomainEvent[] {
  const moves = (event: DomainEvent): event is PolicyChanged =>
    event.type === 'POLICY_CHANGED' && known !== null && event.policy.path !== known.path;
  if (!events.some(moves)) return events;
  return events.map((event) => (moves(event) ? { ...event, moved: true } : event));
}

/**
 * Returns the events without the check of a report that is older than the awaited configuration, while the file counts as never
 * checked: the agent looked at an earlier path. After another frequency alone the look was at the same file, and counts; only
 * before the first check of all such a report is not told from one of an earlier path.
 */
export function withoutCheckOfEarlierPath(
  source: ReportSource,
  head: Head,
  events: readonly DomainEvent[],
): readonly DomainEvent[] {
  const isUnchecked = head.checkedAt === null || events.some((event) => 'moved' in event);
  if (!isUnchecked || waitOf(source, head) !== 'OLDER') return events;
  return events.map((event) => (event.type === 'CONTACTED' ? { ...event, checked: false } : event));
}
