import type { DomainEvent } from '../domain-event.ts';
import type { ReportSource } from '../source.ts';

/**
 * As rules 2, but a baseline takes only the attributes that it brings, and the attributes of a report that is older than the
 * awaited configuration are not kept: they belong to another path.
 */
export function keepOwnAttributes(
  { report: { attributes } }: ReportSource,
  events: readonly DomainEvent[],
  isOlder: boolean,
): readonly DomainEvent[] {
  if (attributes === undefined) return events;
  if (isOlder) return events.filter(({ type }) => type !== 'ATTRIBUTES_TOLD');
  if (!events.some(({ type }) => type === 'BASELINED')) return events;
  return events.map((event) => (event.type === 'ATTRIBUTES_TOLD' ? { ...event, attributes } : event));
}
