import { CONSUMED, GROUPS } from '@sentinel-node/contracts';
import { createChainVerifier } from '@sentinel-node/chain-verifier';
import {
  createMetrics,
  NotDurableError,
  systemClock,
  systemRandom,
  systemTimers,
  type DocumentStore,
  type EventLog,
  type Log,
  type Service,
} from '@sentinel-node/platform';
import { Pace } from '../operator/pace.ts';
import { projectorService, publishLeftovers } from '@sentinel-node/query';

export interface CatchUpDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly logId: Uint8Array;
  readonly log: Log;
  /** Names what is not ready, such as the disk space of a store. */
  notReady(): readonly string[];
  /** Writes a line of progress. */
  readonly writeLine: (line: string) => void;
}

/** Milliseconds between two checks, and between two lines of progress. */
const LOOK_MS = 50;
const PROGRESS_MS = 5_000;

/**
 * Publishes, judges and projects the records that a killed process had not finished. For stores that only this process uses: on
 * a full disk nobody else makes room, so that the command ends instead of waiting.
 * @throws NotDurableError when a store has no room
 */
export async function catchUp(deps: CatchUpDeps): Promise<void> {
  const { eventLog, store, logId, log } = deps;
  const ambient = { clock: systemClock, random: systemRandom, metrics: createMetrics('audit') };
  await publishLeftovers({ eventLog, store, log, ...ambient });
  await runToEnd(createChainVerifier({ eventLog, store, logId, log }), GROUPS.verifier, deps);
  await runToEnd(projectorService({ eventLog, store, timers: systemTimers, log }), GROUPS.projector, deps);
}

/** Runs the service until its group has finished all records, and stops it also when it fails. */
async function runToEnd(
  service: Service & { readonly failed: Promise<never> },
  group: string,
  deps: CatchUpDeps,
): Promise<void> {
  const ending = new AbortController();
  await service.start();
  try {
    await Promise.race([finished(group, deps, ending.signal), service.failed]);
  } finally {
    ending.abort();
    await service.stop();
  }
}

/** Waits until the group has finished all records of its topics, and reports the time left. @throws NotDurableError */
async function finished(group: string, deps: CatchUpDeps, signal: AbortSignal): Promise<void> {
  const { eventLog, writeLine } = deps;
  const pace = new Pace();
  let writtenAt: number | undefined;
  while (!signal.aborted) {
    const { done, total } = await positionOf(eventLog, group);
    if (done >= total) return;
    const lacking = deps.notReady();
    if (lacking.length > 0)
      throw new NotDurableError(
        `${group}: ${done} of ${total} records done; it does not go on for lack of ${lacking.join(' and ')}`,
      );
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
