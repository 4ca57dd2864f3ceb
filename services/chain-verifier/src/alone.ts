import type { StartOptions } from '@sentinel-node/platform';
import { createChainVerifier } from './service.ts';

/** The judging thread serves nothing else, so a batch may occupy it for longer. */
const BATCH_RECORDS = 5_000;

/** Members of the consumer group in one process: one fetches while the records of the other are judged. */
export const MEMBERS_ALONE = 2;

/** Composition of the service as its own process: one thread judges, another talks to Kafka. */
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
