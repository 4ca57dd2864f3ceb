import { TOPICS } from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import type { LogEnds } from '@sentinel-node/query';
import { delegateTo } from '../delegate.ts';

export type Ends = ReadonlyMap<number, number>;

/**
 * Ends up to which verdicts can be compared while the log grows: `file-events` up to `judged`, which the verifier has
 * passed, and `chain` up to `published`, read afterwards. In a partition that grew in between (`open`), the chain
 * topic may also hold verdicts on later reports: its comparison ends, record by record, with the judged reports.
 */
export interface VerdictWindow {
  readonly judged: Ends;
  readonly published: Ends;
  readonly open: ReadonlySet<number>;
}

/** Determines the window. @param waitPast resolves when the verifier has passed the positions */
export async function verdictWindow(
  eventLog: EventLog,
  waitPast: (ends: LogEnds) => Promise<void>,
): Promise<VerdictWindow> {
  const judged = await endsOf(eventLog, TOPICS.fileEvents);
  await waitPast(new Map([[TOPICS.fileEvents, judged]]));
  const published = await endsOf(eventLog, TOPICS.chain);
  const now = await endsOf(eventLog, TOPICS.fileEvents);
  const open = new Set([...now].filter(([at, end]) => end > (judged.get(at) ?? 0)).map(([at]) => at));
  return { judged, published, open };
}

async function endsOf(eventLog: EventLog, topic: string): Promise<Map<number, number>> {
  return new Map((await eventLog.bounds(topic)).map(({ partition, end }) => [partition, end]));
}

/** Returns a read-only log limited to the window; each pass needs a new one. */
export function withinWindow(eventLog: EventLog, { judged, published, open }: VerdictWindow): EventLog {
  const finished = new Set<number>();
  const ends = new Map([
    [TOPICS.fileEvents as string, judged],
    [TOPICS.chain as string, published],
  ]);
  const bounds = async (topic: string) => {
    const found = await eventLog.bounds(topic);
    const limits = ends.get(topic);
    if (limits === undefined) return found;
    return found.map((one) => ({ ...one, end: Math.min(one.end, limits.get(one.partition) ?? 0) }));
  };
  async function* read(topic: string, partition: number, from: number, to = Infinity) {
    const end = Math.min(to, ends.get(topic)?.get(partition) ?? Infinity);
    const endsEarly = topic === TOPICS.chain && open.has(partition);
    if (end > from) {
      for await (const batch of eventLog.read(topic, partition, from, end)) {
        if (!endsEarly) yield batch;
        for (const record of endsEarly ? batch.records : []) {
          if (finished.has(partition)) return;
          yield { ...batch, records: [record] };
        }
      }
    }
    if (topic === TOPICS.fileEvents) finished.add(partition);
  }
  return { ...delegateTo(eventLog), bounds, read };
}
