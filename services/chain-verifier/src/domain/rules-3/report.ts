import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { takePolicy } from '../rules-1/policy.ts';
import { decideByRules2 } from '../rules-2/index.ts';
import type { ReportSource } from '../source.ts';

/**
 * As rules 2, but while a baseline is awaited, a report of the awaited configuration finds the file missing already only if
 * another one has said so: what is known is of another path or frequency.
 */
export function decideReport(source: ReportSource, head: Head, timeMs: number): readonly DomainEvent[] {
  const wait = waitOf(source, head);
  if (wait === 'NONE' || wait === 'OLDER') return decideByRules2(source, head, timeMs);
  const missing = wait === 'AWAITED' && head.missing && head.awaitedMissing === true;
  return decideByRules2(source, { ...head, missing }, timeMs).map((event) =>
    event.type === 'MISSED' ? { ...event, awaited: true } : event,
  );
}

/** Relation of a report to the awaited configuration; NEW when it brings that configuration itself. */
type Wait = 'NONE' | 'OLDER' | 'AWAITED' | 'NEW';

function waitOf({ header, report }: ReportSource, head: Head): Wait {
  const { events, policy } = takePolicy(head, header.policy, header.deviceId, null);
  const isNew = events.some((event) => event.type === 'POLICY_CHANGED' && event.rebaseline);
  const awaited = isNew ? policy.configVersion : head.awaitedVersion;
  if (awaited === null) return 'NONE';
  if ((report.configVersion ?? header.policy.configVersion) < awaited) return 'OLDER';
  return isNew ? 'NEW' : 'AWAITED';
}
