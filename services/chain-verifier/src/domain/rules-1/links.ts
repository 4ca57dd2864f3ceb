import type { Archive, Policy, Version } from '@sentinel-node/contracts';
import type { DomainEvent } from '../domain-event.ts';
import type { JudgedReport } from '../source.ts';
import { isSameVersion } from './lengths.ts';

type Mark = { readonly whileDisabled?: true };

/** Rows 9 to 12: `versions[0]` is the last reported version, so the change is allowed. */
export function judgeSteps(
  report: JudgedReport,
  last: Version,
  policy: Policy,
  rolling: boolean,
  mark: Mark,
): DomainEvent[] {
  if (rolling) return rolled(report, last, mark);
  const steps = links(report.versions, last, mark);
  const newest = report.versions.at(-1)!;
  if (policy.monitoringFrequency !== 'PROBE' || newest.length >= last.length) return steps;
  return [{ type: 'DECREASED', from: last.length, to: newest.length }, ...steps];
}

/** Row 9: the growth of each archive, oldest first, then always the new file. */
function rolled(report: JudgedReport, last: Version, mark: Mark): DomainEvent[] {
  const archives: readonly Archive[] = report.archives ?? [];
  const events: DomainEvent[] = [{ type: 'ROLLED', archives }, ...links(archives, last, mark)];
  const [fresh, ...later] = report.versions.slice(1);
  if (fresh !== undefined) events.push(link(fresh, mark), ...links(later, fresh, mark));
  return events;
}

/** A link for each version that differs from the one before it. */
function links(versions: readonly Version[], before: Version, mark: Mark): DomainEvent[] {
  const events: DomainEvent[] = [];
  for (const version of versions) {
    if (!isSameVersion(version, before)) events.push(link(version, mark));
    before = version;
  }
  return events;
}

function link({ length, hash }: Version, mark: Mark): DomainEvent {
  return { type: 'LINKED', kind: 'LINK', version: { length, hash }, ...mark };
}
