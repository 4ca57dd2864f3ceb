import type { StartOptions } from '@sentinel-node/platform';
import { createChainVerifier } from './service.ts';

/** Nothing else is served from the thread that judges, so that a batch may keep it for longer. */
const BATCH_RECORDS = 5_000;

/** Members of the consumer group in one process: one fetches while what the other has fetched is judged. */
export const MEMBERS_ALONE = 2;

/** How a process of its own is put together: judging on one thread, Kafka on another. */
export const ALONE = {
  create: (shared) => [
    createChainVerifier({
      ...shared,
      logId: shared.logKey.logId,
      batchRecords: BATCH_RECORDS,
      members: MEMBERS_ALONE,
    }),
  ],
  kafkaThread: true,
} satisfies Pick<StartOptions, 'create' | 'kafkaThread'>;
