import { PortError, systemTimers, type EventLog } from '@sentinel-node/platform';
import type { LogEnds } from '@sentinel-node/query';

/** Milliseconds between two checks. */
const LOOK_MS = 100;
/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5_000;

/** The live system did not pass the positions in time: the system does not run or is too far behind. */
export class LiveBehindError extends PortError {
  constructor(what: string, seconds: number) {
    super('LIVE_BEHIND', `after ${seconds} s still waiting for ${what}; does it run? --wait gives it longer`);
  }
}

/** Milliseconds between two checks of a document that the log of a running system does not explain yet. */
export const AGAIN_MS = 1_000;

export interface Patience {
  /** Whether services run during the command. */
  readonly isLive: boolean;
  /** Longest single wait for the live system. */
  readonly waitSeconds: number;
  /** Most checks of a document that the log does not explain yet; 1 on a stopped system. */
  readonly looks: number;
  /** Writes a line for the waiting person. */
  readonly writeLine: (line: string) => void;
}

/** Repeats `look` until it returns undefined; other results name the remaining work. @throws LiveBehindError */
export async function waitUntil(
  { waitSeconds, writeLine }: Patience,
  look: () => Promise<string | undefined>,
): Promise<void> {
  const began = Date.now();
  let writtenAt = began;
  for (;;) {
    const awaited = await look();
    if (awaited === undefined) return;
    const now = Date.now();
    if (now - began > waitSeconds * 1_000) throw new LiveBehindError(awaited, waitSeconds);
    if (now - writtenAt > PROGRESS_MS) {
      writtenAt = now;
      writeLine(`waiting for ${awaited}`);
    }
    await systemTimers.delay(LOOK_MS);
  }
}

/** Waits until a group has finished everything before `ends`. @throws LiveBehindError */
export function waitForGroup(
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
