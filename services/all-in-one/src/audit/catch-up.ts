import { CONSUMED, GROUPS } from '@sentinel-node/contracts';
import { createChainVerifier } from '@sentinel-node/chain-verifier';
import {
  createMetrics,
  systemClock,
  systemRandom,
  systemTimers,
  type DocumentStore,
  type EventLog,
  type Log,
} from '@sentinel-node/platform';
import { projectorService, publishLeftovers } from '@sentinel-node/query';

export interface CatchUpDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly logId: Uint8Array;
  readonly log: Log;
}

const LOOK_MS = 20;

/** Publishes, judges and projects what a process that was killed left undone. */
export async function catchUp({ eventLog, store, logId, log }: CatchUpDeps): Promise<void> {
  const ambient = { clock: systemClock, random: systemRandom, metrics: createMetrics('audit') };
  await publishLeftovers({ eventLog, store, log, ...ambient });
  const verifier = createChainVerifier({ eventLog, store, logId, log });
  await verifier.start();
  await Promise.race([finished(eventLog, GROUPS.verifier), verifier.failed]);
  await verifier.stop();
  const projector = projectorService({ eventLog, store, timers: systemTimers, log });
  await projector.start();
  await Promise.race([finished(eventLog, GROUPS.projector), projector.failed]);
  await projector.stop();
}

async function finished(eventLog: EventLog, group: string): Promise<void> {
  for (const { topic } of CONSUMED.filter((one) => one.group === group)) {
    while (!(await isFinished(eventLog, group, topic))) await systemTimers.delay(LOOK_MS);
  }
}

async function isFinished(eventLog: EventLog, group: string, topic: string): Promise<boolean> {
  const committed = await eventLog.committed(topic, group);
  const bounds = await eventLog.bounds(topic);
  return bounds.every(({ partition, start, end }) => end <= start || (committed.get(partition) ?? 0) >= end);
}
