import { watchedDiffer, type Report } from '@sentinel-node/contracts';
import type { FileMemory } from './memory.ts';

interface Made {
  readonly report: Report;
  readonly memory: FileMemory;
}

/** Changes that one report can contain several times. */
const SEVERAL = new Set(['APPENDED', 'REPLACED']);

/**
 * Merges two consecutive reports of the same change into one of at most `maxVersions` versions. With `mayDrop`, a full
 * report drops its newest versions to make room. @returns undefined when the reports cannot be merged
 */
export function merge(
  earlier: Made,
  later: Made,
  maxVersions: number,
  mayDrop: boolean,
): { readonly entry: Made; readonly dropped: number } | undefined {
  const { report } = earlier;
  const [from, ...more] = later.report.versions;
  const last = report.versions.at(-1);
  if (!SEVERAL.has(later.report.change) || report.change !== later.report.change) return undefined;
  if (report.configVersion !== later.report.configVersion || report.instanceId !== later.report.instanceId)
    return undefined;
  if (from === undefined || last?.hash !== from.hash || last.length !== from.length || more.length === 0)
    return undefined;
  if (!sameAttributes(report, later.report)) return undefined;
  const room = maxVersions - report.versions.length;
  if (more.length > room && !mayDrop) return undefined;
  const kept = more.length > room ? report.versions.slice(0, maxVersions - more.length) : report.versions;
  const versions = [...kept, ...more];
  const { reread, ...rest } = later.report;
  return {
    entry: {
      report: {
        ...rest,
        versions,
        ...(reread === undefined ? {} : { reread: reread && report.reread === true }),
      },
      memory: later.memory,
    },
    dropped: report.versions.length - kept.length,
  };
}

/** Returns whether both reports have the same watched attributes: one report carries one state of the attributes. */
function sameAttributes({ attributes: a }: Report, { attributes: b }: Report): boolean {
  return a === undefined || b === undefined ? a === b : !watchedDiffer(a, b);
}
