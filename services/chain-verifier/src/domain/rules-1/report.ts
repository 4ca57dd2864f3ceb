import type { AlertType, Policy, Version } from '@sentinel-node/contracts';
import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import type { JudgedReport, ReportSource } from '../source.ts';
import { hasImpossibleLengths, isSameVersion } from './lengths.ts';
import { judgeSteps } from './links.ts';
import { takePolicy } from './policy.ts';
import { judgeSequence } from './sequence.ts';

/** Input of rows 3 to 12. `awaited` is the configVersion whose baseline is awaited once `policy` is in force. */
interface Case {
  readonly report: JudgedReport;
  readonly last: Version | null;
  readonly missing: boolean;
  readonly policy: Policy;
  readonly awaited: number | null;
  readonly awaitsNext: boolean;
  /** Configuration of the agent: as the agent reports it, otherwise as stamped. */
  readonly configVersion: number;
  readonly mark: { readonly whileDisabled?: true };
}

/** The table in decision 5 of the specification: the first row that fits decides; a duplicate gives no event. */
export function decideReport(source: ReportSource, head: Head, timeMs: number): readonly DomainEvent[] {
  if (head.deleted) return [];
  const { header, report } = source;
  const sequence = judgeSequence(report, head, timeMs);
  if (sequence.verdict === 'DUPLICATE') return [];
  const { events, policy } = takePolicy(head, header.policy, header.deviceId, null);
  if (sequence.verdict === 'FAULT')
    return [...events, ...sequence.events, { type: 'CONTACTED', checked: false }];
  if (report.change === 'ERROR') {
    const error = report.error ?? { code: 'UNKNOWN', message: '' };
    return [
      ...events,
      sequence.event,
      { type: 'AGENT_FAILED', error },
      { type: 'CONTACTED', checked: false },
    ];
  }
  return [
    ...events,
    sequence.event,
    ...judge(source, head, policy, events),
    { type: 'CONTACTED', checked: true },
  ];
}

function judge(
  source: ReportSource,
  head: Head,
  policy: Policy,
  taken: readonly DomainEvent[],
): DomainEvent[] {
  const { header, report } = source;
  const configVersion = report.configVersion ?? header.policy.configVersion;
  const rebaseline = taken.some((event) => event.type === 'POLICY_CHANGED' && event.rebaseline);
  const switchedOn = taken.some((event) => event.type === 'SWITCHED' && event.policy.enabled);
  const enabledAgain = switchedOn ? policy.configVersion : head.enabledAgain;
  const resumed = enabledAgain !== null && configVersion >= enabledAgain;
  const events = judgeVersions({
    report,
    last: head.last,
    missing: head.missing,
    policy,
    awaited: rebaseline ? policy.configVersion : head.awaitedVersion,
    awaitsNext: head.awaitsNext,
    configVersion,
    mark: resumed ? { whileDisabled: true } : {},
  });
  if (resumed) events.push({ type: 'RESUMED' });
  return events;
}

function judgeVersions(c: Case): DomainEvent[] {
  const { last, policy, report } = c;
  const newest = report.versions.at(-1);
  if (hasImpossibleLengths(report, last)) return deviation('HASH_BREACH_IN_REQ', newest, c);
  const awaitedToo = c.awaited !== null && c.configVersion >= c.awaited;
  if (newest !== undefined && (last === null || awaitedToo || c.awaitsNext))
    return [
      { type: 'LINKED', kind: 'BASELINE', version: newest },
      { type: 'REPORTED', version: newest },
      { type: 'BASELINED', awaitedToo },
    ];
  if (newest === undefined) return c.missing ? [] : deviation('EMPTY', undefined, c);
  return judgeAgainst(c, last!, newest, policy);
}

/** Rows 6 to 12: a version is recorded, and the report has one to compare. */
function judgeAgainst(c: Case, last: Version, newest: Version, policy: Policy): DomainEvent[] {
  const { report } = c;
  const rolling = report.change === 'ROLLED' && policy.rolled;
  const continues = isSameVersion(report.versions[0]!, last);
  if (!policy.modifiable && report.versions.some((version) => !isSameVersion(version, last)))
    return deviation('UNEXPECTED_CHANGE', newest, c);
  const noArchive = (report.archives?.length ?? 0) === 0;
  if ((rolling && (!continues || noArchive)) || report.change === 'ARCHIVE_CHANGED')
    return deviation('ROLLED_FILE_CHANGED', newest, c);
  if (!continues) return [...deviation('HASH_BREACH', newest, c), ...followedShorter(c, last)];
  return [...judgeSteps(report, last, policy, rolling, c.mark), { type: 'REPORTED', version: newest }];
}

function deviation(alertType: AlertType, version: Version | undefined, c: Case): DomainEvent[] {
  if (version === undefined) return [{ type: 'DEVIATED', alertType, ...c.mark }, { type: 'MISSED' }];
  return [
    { type: 'DEVIATED', alertType, version, ...c.mark },
    { type: 'REPORTED', version },
  ];
}

/** A followed file only grows; the shortest observed state is its length after the fall. */
function followedShorter({ policy, report }: Case, last: Version): DomainEvent[] {
  const shortest = report.versions.reduce((least, { length }) => Math.min(least, length), last.length);
  if (policy.monitoringFrequency !== 'FOLLOW' || shortest === last.length) return [];
  return [{ type: 'DECREASED', from: last.length, to: shortest }];
}
