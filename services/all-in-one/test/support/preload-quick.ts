/** Loaded before a service: it gives up on others sooner, so that a test need not wait as long as production does. */
import { KAFKA_LIMITS } from '@sentinel-node/platform/kafka';
import { MONGO_STORE_LIMITS } from '@sentinel-node/platform/mongodb';

Object.assign(KAFKA_LIMITS, {
  sessionTimeoutMs: 4_000,
  heartbeatIntervalMs: 400,
  rebalanceTimeoutMs: 10_000,
  requestTimeoutMs: 3_000,
  connectionTimeoutMs: 2_000,
  appendTimeoutMs: 8_000,
  readTimeoutMs: 8_000,
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
