import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import { createChainVerifier } from '@sentinel-node/chain-verifier';
import { systemTimers, type DocumentStore, type EventLog, type Log } from '@sentinel-node/platform';
import { projectorService } from '@sentinel-node/query';

export interface CatchUpDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly logId: Uint8Array;
  readonly log: Log;
}

const LOOK_MS = 20;
const PROJECTED = [TOPICS.registry, TOPICS.chain, TOPICS.deviceHealth, TOPICS.anchors];

/** Runs verifier and projector until both have finished what the log holds: a process that was killed left some. */
export async function catchUp({ eventLog, store, logId, log }: CatchUpDeps): Promise<void> {
  const verifier = createChainVerifier({ eventLog, store, logId, log });
  await verifier.start();
  await Promise.race([finished(eventLog, GROUPS.verifier, [TOPICS.fileEvents]), verifier.failed]);
  await verifier.stop();
  const projector = projectorService({ eventLog, store, timers: systemTimers, log });
  await projector.start();
  await Promise.race([finished(eventLog, GROUPS.projector, PROJECTED), projector.failed]);
  await projector.stop();
}

async function finished(eventLog: EventLog, group: string, topics: readonly string[]): Promise<void> {
  for (const topic of topics) {
    while (!(await isFinished(eventLog, group, topic))) await systemTimers.delay(LOOK_MS);
  }
}

async function isFinished(eventLog: EventLog, group: string, topic: string): Promise<boolean> {
  const committed = await eventLog.committed(topic, group);
  const bounds = await eventLog.bounds(topic);
  return bounds.every(({ partition, start, end }) => end <= start || (committed.get(partition) ?? 0) >= end);
}
