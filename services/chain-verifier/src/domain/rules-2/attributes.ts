import { watchedDiffer, type Version } from '@sentinel-node/contracts';
import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { takePolicy } from '../rules-1/policy.ts';
import type { ReportSource } from '../source.ts';

/**
 * Adds the verdict on attributes to the verdict of rules 1. Content comes first: a report that deviates already, or gives a
 * baseline, only sets the attributes for the next comparison. So does the first report with attributes.
 */
export function judgeAttributes(
  source: ReportSource,
  head: Head,
  events: readonly DomainEvent[],
): readonly DomainEvent[] {
  const { attributes, versions } = source.report;
  const newest = versions.at(-1);
  if (attributes === undefined || newest === undefined || !isJudged(events) || !isWatched(source, head))
    return events;
  const known = head.attributes;
  const differ = known !== undefined && watchedDiffer(known, attributes);
  const told = { type: 'ATTRIBUTES_TOLD', attributes: { ...known, ...attributes } } as const;
  return [...(differ && isAsBefore(events) ? withDeviation(events, newest) : events), told];
}

/** Neither a duplicate, nor out of sequence, nor an error. */
const isJudged = (events: readonly DomainEvent[]): boolean =>
  events.some((event) => event.type === 'CONTACTED' && event.checked);

const isWatched = ({ header }: ReportSource, head: Head): boolean =>
  takePolicy(head, header.policy, header.deviceId, null).policy.watchAttributes === true;

const isAsBefore = (events: readonly DomainEvent[]): boolean =>
  !events.some(({ type }) => type === 'DEVIATED' || type === 'BASELINED');

function withDeviation(events: readonly DomainEvent[], version: Version): DomainEvent[] {
  const resumed = events.some(({ type }) => type === 'RESUMED');
  const deviated: DomainEvent = {
    type: 'DEVIATED',
    alertType: 'UNEXPECTED_CHANGE',
    version,
    ...(resumed ? { whileDisabled: true } : {}),
  };
  return events.flatMap((event): DomainEvent[] => (event.type === 'REPORTED' ? [deviated, event] : [event]));
}
