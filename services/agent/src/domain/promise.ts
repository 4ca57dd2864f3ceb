/** What the receipt of a report promises. */
import type { Report } from '@sentinel-node/contracts';

export { judgePromise, linkDueAt, type Promised } from '@sentinel-node/contracts';

/** Whether the report has to make a link: its newest version is another one than the version before. */
export function promisesLink({ versions }: Pick<Report, 'versions'>): boolean {
  const [before, newest] = versions.slice(-2);
  if (before === undefined || newest === undefined) return false;
  return before.hash !== newest.hash || before.length !== newest.length;
}
