import type { Archive, Policy, Version } from '@sentinel-node/contracts';
import type { Fact } from '../facts.ts';
import type { JudgedReport } from '../source.ts';
import { sameVersion } from './lengths.ts';

type Mark = { readonly whileDisabled?: true };

/** Rows 9 to 12: `versions[0]` is the last reported version, so the file did what it may. */
export function judgeSteps(
  report: JudgedReport,
  last: Version,
  policy: Policy,
  rolling: boolean,
  mark: Mark,
): Fact[] {
  if (rolling) return rolled(report, last, mark);
  const steps = links(report.versions, last, mark);
  const newest = report.versions.at(-1)!;
  if (policy.monitoringFrequency !== 'PROBE' || newest.length >= last.length) return steps;
  return [{ fact: 'DECREASED', from: last.length, to: newest.length }, ...steps];
}

/** Row 9: what each archive had more, oldest first, then the new file, always. */
function rolled(report: JudgedReport, last: Version, mark: Mark): Fact[] {
  const archives: readonly Archive[] = report.archives ?? [];
  const facts: Fact[] = [{ fact: 'ROLLED', archives }, ...links(archives, last, mark)];
  const [fresh, ...later] = report.versions.slice(1);
  if (fresh !== undefined) facts.push(link(fresh, mark), ...links(later, fresh, mark));
  return facts;
}

/** A link for each version that differs from the one before it. */
function links(versions: readonly Version[], before: Version, mark: Mark): Fact[] {
  const facts: Fact[] = [];
  for (const version of versions) {
    if (!sameVersion(version, before)) facts.push(link(version, mark));
    before = version;
  }
  return facts;
}

function link({ length, hash }: Version, mark: Mark): Fact {
  return { fact: 'LINKED', kind: 'LINK', version: { length, hash }, ...mark };
}
