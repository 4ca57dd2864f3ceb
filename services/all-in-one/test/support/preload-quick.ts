/** Preload of a service that shortens its deadlines, so that a test does not wait as long as production. */
import type * as Kafka from '@sentinel-node/platform/kafka';
import type * as MongoDb from '@sentinel-node/platform/mongodb';
import { libraryOf } from './preload-library.ts';

const { KAFKA_LIMITS }: typeof Kafka = await import(libraryOf('kafka'));
const { MONGO_STORE_LIMITS }: typeof MongoDb = await import(libraryOf('mongodb'));

/** How long an append or a read is tried, in ms; less where a test waits for the end of that. */
const triedMs = Number(process.env['SENTINEL_TEST_TRIED_MS'] ?? 8_000);

Object.assign(KAFKA_LIMITS, {
  sessionTimeoutMs: 4_000,
  heartbeatIntervalMs: 400,
  rebalanceTimeoutMs: 10_000,
  requestTimeoutMs: 3_000,
  connectionTimeoutMs: 2_000,
  appendTimeoutMs: triedMs,
  readTimeoutMs: triedMs,
  retryDelayMaxMs: 1_000,
  probeIntervalMs: 500,
  probeTimeoutMs: 1_500,
});
Object.assign(MONGO_STORE_LIMITS, {
  connectMs: 2_000,
  heartbeatMs: 1_000,
  serverSelectionMs: 4_000,
  answerMs: 5_000,
});
