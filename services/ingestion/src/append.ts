import { TOPICS } from '@sentinel-node/contracts';
import type { LogRecord } from '@sentinel-node/platform';
import type { Core } from './core.ts';

const MS_PER_SECOND = 1_000;

/** Appends to file-events. @throws OverloadedError, NotDurableError: nothing of it may be acknowledged */
export async function appendDurably({ deps, counts }: Core, records: readonly LogRecord[]): Promise<void> {
  const start = performance.now();
  await deps.eventLog.append(TOPICS.fileEvents, records);
  counts.appendSeconds({}, (performance.now() - start) / MS_PER_SECOND);
}
