/** Promises in the receipt of a report. */
import type { Report } from '@sentinel-node/contracts';

export { judgePromise, linkDueAt, type Promised } from '@sentinel-node/contracts';

/** Returns whether the report must produce a link: its newest version differs from the version before. */
export function requiresLink({ versions }: Pick<Report, 'versions'>): boolean {
  const [before, newest] = versions.slice(-2);
  if (before === undefined || newest === undefined) return false;
  return before.hash !== newest.hash || before.length !== newest.length;
}
