import { TOPICS } from '@sentinel-node/contracts';
import type { EventLog, LogRecord } from '@sentinel-node/platform';
import type { Refusal } from './domain/refusal.ts';
import type { IngestionMetrics } from './metrics.ts';
import { refusalOf } from './refusal-of.ts';

const MS_PER_SECOND = 1_000;

/** Appends to file-events. Refused: nothing of it may be acknowledged. */
export type Append = (records: readonly LogRecord[]) => Promise<Refusal | undefined>;

export function durableAppend(
  eventLog: Pick<EventLog, 'append'>,
  appendSeconds: IngestionMetrics['appendSeconds'],
): Append {
  return async (records) => {
    const start = performance.now();
    try {
      await eventLog.append(TOPICS.fileEvents, records);
    } catch (error) {
      return refusalOf(error);
    }
    appendSeconds({}, (performance.now() - start) / MS_PER_SECOND);
    return undefined;
  };
}

/** Calls `undo` unless the records are durable, also when a surprise is thrown. */
export async function appendOrUndo(
  append: Append,
  records: readonly LogRecord[],
  undo: () => void,
): Promise<Refusal | undefined> {
  let isKept = false;
  try {
    const failure = await append(records);
    isKept = failure === undefined;
    return failure;
  } finally {
    if (!isKept) undo();
  }
}
