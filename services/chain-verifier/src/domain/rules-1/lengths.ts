import { EMPTY_CONTENT_HASH, type Version } from '@sentinel-node/contracts';
import type { JudgedReport } from '../source.ts';

/** Row 3: impossible lengths. `last` is the last reported version. */
export function hasImpossibleLengths(report: JudgedReport, last: Version | null): boolean {
  const { archives, change, versions } = report;
  const first = versions[0];
  if (first === undefined) return false;
  if (change === 'FIRST' && versions.length > 1) return true;
  if (
    change === 'APPENDED' &&
    versions.some((version, i) => i > 0 && version.length < versions[i - 1]!.length)
  )
    return true;
  if (change === 'UNCHANGED' && versions.some((version) => !isSameVersion(version, first))) return true;
  if (last !== null && first.hash === last.hash && first.length !== last.length) return true;
  return versions.some(emptyOfSomething) || (archives?.some(emptyOfSomething) ?? false);
}

export function isSameVersion(a: Version, b: Version): boolean {
  return a.length === b.length && a.hash === b.hash;
}

function emptyOfSomething(version: Version): boolean {
  return version.length === 0 && version.hash !== EMPTY_CONTENT_HASH;
}
