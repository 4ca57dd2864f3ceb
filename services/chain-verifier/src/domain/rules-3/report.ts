import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { takePolicy } from '../rules-1/policy.ts';
import { decideByRules2 } from '../rules-2/index.ts';
import type { ReportSource } from '../source.ts';
import { keepOwnAttributes } from './attributes.ts';

/**
 * As rules 2, but a contact has the time at which the report was accepted; the record itself has a later one after a clock that
 * was ahead. And what is known of another path or frequency counts for nothing once a report of the awaited configuration
 * comes: that the file is missing, and its attributes.
 */
export function decideReport(source: ReportSource, head: Head, timeMs: number): readonly DomainEvent[] {
  const wait = waitOf(source, head);
  const events =
    wait === 'AWAITED' || wait === 'NEW'
      ? decideAwaited(source, head, timeMs, wait === 'AWAITED' && head.awaitedMissing === true)
      : decideByRules2(source, head, timeMs);
  return contactedAt(source.header.acceptedAt, timeMs, keepOwnAttributes(source, events, wait === 'OLDER'));
}

function contactedAt(
  acceptedAt: number,
  timeMs: number,
  events: readonly DomainEvent[],
): readonly DomainEvent[] {
  if (acceptedAt === timeMs) return events;
  return events.map((event) => (event.type === 'CONTACTED' ? { ...event, atMs: acceptedAt } : event));
}

/** @param missing whether a report of the awaited configuration has said already that the file is missing */
function decideAwaited(source: ReportSource, head: Head, timeMs: number, missing: boolean): DomainEvent[] {
  return decideByRules2(source, { ...head, missing }, timeMs).map((event) =>
    event.type === 'MISSED' ? { ...event, awaited: true } : event,
  );
}

/** Relation of a report to the awaited configuration; NEW when it brings that configuration itself. */
export type Wait = 'NONE' | 'OLDER' | 'AWAITED' | 'NEW';

export function waitOf({ header, report }: ReportSource, head: Head): Wait {
  const { events, policy } = takePolicy(head, header.policy, header.deviceId, null);
  const isNew = events.some((event) => event.type === 'POLICY_CHANGED' && event.rebaseline);
  const awaited = isNew ? policy.configVersion : head.awaitedVersion;
  if (awaited === null) return 'NONE';
  if ((report.configVersion ?? header.policy.configVersion) < awaited) return 'OLDER';
  return isNew ? 'NEW' : 'AWAITED';
}
