import { PortError, systemTimers, type EventLog } from '@sentinel-node/platform';
import type { LogEnds } from '@sentinel-node/query';

/** Between two looks, in milliseconds. */
const LOOK_MS = 100;
/** Between two lines of progress, in milliseconds. */
const TELL_MS = 5_000;

/** The live system was not past the positions in time: it does not run, or is too far behind. */
export class LiveBehindError extends PortError {
  constructor(what: string, seconds: number) {
    super('LIVE_BEHIND', `after ${seconds} s still waiting for ${what}; does it run? --wait gives it longer`);
  }
}

export interface Patience {
  /** Services run meanwhile. */
  readonly isLive: boolean;
  /** Of every wait for the live system. */
  readonly waitSeconds: number;
  /** Looks at a document that the log does not explain yet; one on a system that stands still. */
  readonly looks: number;
  /** A line for the person who waits. */
  readonly tell: (line: string) => void;
}

/** Looks until nothing is left to wait for. `look` says what is. @throws LiveBehindError */
export async function waitUntil(
  { waitSeconds, tell }: Patience,
  look: () => Promise<string | undefined>,
): Promise<void> {
  const began = Date.now();
  let toldAt = began;
  for (;;) {
    const awaited = await look();
    if (awaited === undefined) return;
    const now = Date.now();
    if (now - began > waitSeconds * 1_000) throw new LiveBehindError(awaited, waitSeconds);
    if (now - toldAt > TELL_MS) {
      toldAt = now;
      tell(`waiting for ${awaited}`);
    }
    await systemTimers.delay(LOOK_MS);
  }
}

/** Waits until a group has finished everything before `ends`. @throws LiveBehindError */
export function waitPast(
  eventLog: EventLog,
  group: string,
  ends: LogEnds,
  patience: Patience,
): Promise<void> {
  return waitUntil(patience, async () => {
    let records = 0;
    for (const [topic, partitions] of ends) {
      const committed = await eventLog.committed(topic, group);
      const bounds = await eventLog.bounds(topic);
      for (const { partition, start } of bounds)
        records += Math.max(
          0,
          (partitions.get(partition) ?? 0) - Math.max(start, committed.get(partition) ?? 0),
        );
    }
    return records === 0 ? undefined : `${group}: ${records} records to go`;
  });
}
