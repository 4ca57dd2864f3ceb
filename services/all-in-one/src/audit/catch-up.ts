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
import { Pace } from '../operator/pace.ts';
import { projectorService, publishLeftovers } from '@sentinel-node/query';

export interface CatchUpDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly logId: Uint8Array;
  readonly log: Log;
  /** Writes a line of progress. */
  readonly writeLine: (line: string) => void;
}

/** Milliseconds between two checks, and between two lines of progress. */
const LOOK_MS = 50;
const PROGRESS_MS = 5_000;

/** Publishes, judges and projects the records that a killed process had not finished. */
export async function catchUp({ eventLog, store, logId, log, writeLine }: CatchUpDeps): Promise<void> {
  const ambient = { clock: systemClock, random: systemRandom, metrics: createMetrics('audit') };
  await publishLeftovers({ eventLog, store, log, ...ambient });
  const verifier = createChainVerifier({ eventLog, store, logId, log });
  await verifier.start();
  await Promise.race([finished(eventLog, GROUPS.verifier, writeLine), verifier.failed]);
  await verifier.stop();
  const projector = projectorService({ eventLog, store, timers: systemTimers, log });
  await projector.start();
  await Promise.race([finished(eventLog, GROUPS.projector, writeLine), projector.failed]);
  await projector.stop();
}

/** Waits until the group has finished all records of its topics, and reports the time left. */
async function finished(eventLog: EventLog, group: string, writeLine: (line: string) => void): Promise<void> {
  const pace = new Pace();
  let writtenAt: number | undefined;
  for (;;) {
    const { done, total } = await positionOf(eventLog, group);
    if (done >= total) return;
    const now = Date.now();
    if (writtenAt === undefined || now - writtenAt >= PROGRESS_MS) {
      pace.addMeasurement(now, done);
      if (writtenAt !== undefined)
        writeLine(`${group}: ${done} of ${total} records done, ${pace.describe(total)}`);
      writtenAt = now;
    }
    await systemTimers.delay(LOOK_MS);
  }
}

/** Counts the records of the group's topics, and those that the group has finished. */
async function positionOf(eventLog: EventLog, group: string): Promise<{ done: number; total: number }> {
  let [done, total] = [0, 0];
  for (const { topic } of CONSUMED.filter((one) => one.group === group)) {
    const committed = await eventLog.committed(topic, group);
    for (const { partition, start, end } of await eventLog.bounds(topic)) {
      total += end - start;
      done += Math.min(end - start, Math.max(0, (committed.get(partition) ?? 0) - start));
    }
  }
  return { done, total };
}
