import { TOPICS } from '@sentinel-node/contracts';
import type { DeviceEntity } from '@sentinel-node/contracts';
import type { EventLog, FairPool, LogRecord } from '@sentinel-node/platform';
import type { Backlog } from './backlog.ts';
import type { Refusal } from './domain/refusal.ts';
import type { IngestionMetrics } from './metrics.ts';
import { refusalOf } from './refusal-of.ts';

const MS_PER_SECOND = 1_000;

/** The sender whose share of the appended bytes the records take. */
export type Sender = Pick<DeviceEntity, 'orgId' | 'id'>;

/** Appends to file-events. After a refusal none of the records may be acknowledged. */
export type Append = (sender: Sender, records: readonly LogRecord[]) => Promise<Refusal | undefined>;

export function durableAppend(
  eventLog: Pick<EventLog, 'append'>,
  pool: FairPool,
  backlog: Pick<Backlog, 'note'>,
  appendSeconds: IngestionMetrics['appendSeconds'],
): Append {
  return async ({ orgId, id }, records) => {
    const start = performance.now();
    const share = pool.hold(orgId, id);
    try {
      share.take(records.reduce((bytes, { body }) => bytes + body.length, 0));
      await eventLog.append(TOPICS.fileEvents, records);
      backlog.note(orgId, records.length);
    } catch (error) {
      return refusalOf(error);
    } finally {
      share.release();
    }
    appendSeconds({}, (performance.now() - start) / MS_PER_SECOND);
    return undefined;
  };
}

/** Calls `undo` unless the records are durable, also after an unexpected error. */
export async function appendOrUndo(
  append: Append,
  sender: Sender,
  records: readonly LogRecord[],
  undo: () => void,
): Promise<Refusal | undefined> {
  let isKept = false;
  try {
    const failure = await append(sender, records);
    isKept = failure === undefined;
    return failure;
  } finally {
    if (!isKept) undo();
  }
}
