/** Publishes the commits and claims that a killed process stored but did not publish. */
import { CLAIMS_COLLECTION, STREAMS_COLLECTION } from '@sentinel-node/platform';
import { claimOutbox } from './alerts/index.ts';
import { createSettling } from './commands/settle.ts';
import type { QueryDeps } from './deps.ts';
import { endSessionsOf, Sessions, SESSIONS_COLLECTION } from './signin/index.ts';

/** Publishes every commit and claim that is not on the log yet, as the service also does when it starts. */
export async function publishLeftovers(
  deps: Pick<QueryDeps, 'store' | 'eventLog' | 'clock' | 'random' | 'log' | 'metrics'>,
): Promise<void> {
  await deps.store.ensure([STREAMS_COLLECTION, CLAIMS_COLLECTION, SESSIONS_COLLECTION]);
  const sessions = new Sessions(deps.store, deps.clock);
  const commits = createSettling({
    ...deps,
    onPublish: (commit) => endSessionsOf(sessions, commit),
  }).outbox;
  await commits.sweep();
  await claimOutbox(deps).sweep();
}
