import { watchedDiffer, type Report } from '@sentinel-node/contracts';
import type { FileMemory } from './memory.ts';

interface Made {
  readonly report: Report;
  readonly memory: FileMemory;
}

/** Kinds of steps that one report can hold several of. */
const SEVERAL = new Set(['APPENDED', 'REPLACED']);

/**
 * One report for two steps of a kind that follow each other, `maxVersions` versions at most. When there is no more room,
 * the version before the last gives way if `mayDrop`. undefined: they cannot be one report.
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

/** One report tells of one state of the attributes that the server may judge. */
function sameAttributes({ attributes: a }: Report, { attributes: b }: Report): boolean {
  return a === undefined || b === undefined ? a === b : !watchedDiffer(a, b);
}
