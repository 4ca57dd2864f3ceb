import { TOPICS } from '@sentinel-node/contracts';
import type { TopicSpec } from './ports/event-log.ts';

/**
 * Topics of the embedded store. `fileEvents` and `chain` have the same key and the same number of partitions, so that
 * a file's records stand in the partition of the same number. In one process few partitions give larger batches.
 */
export const EMBEDDED_TOPICS: readonly TopicSpec[] = [
  { name: TOPICS.registry, partitions: 1, retention: 'forever' },
  { name: TOPICS.fileEvents, partitions: 4, retention: 'forever' },
  { name: TOPICS.chain, partitions: 4, retention: 'forever' },
  { name: TOPICS.anchors, partitions: 1, retention: 'forever' },
  { name: TOPICS.deviceHealth, partitions: 2, retention: 'compacted' },
  { name: TOPICS.feed, partitions: 2, retention: 'volatile' },
  { name: TOPICS.deadLetters, partitions: 1, retention: 'forever' },
];

/** Topics of a cluster. The partitions of `fileEvents` are the ceiling of verifiers at work at once. */
export const CLUSTER_TOPICS: readonly TopicSpec[] = [
  { name: TOPICS.registry, partitions: 8, retention: 'forever' },
  { name: TOPICS.fileEvents, partitions: 64, retention: 'forever' },
  { name: TOPICS.chain, partitions: 64, retention: 'forever' },
  { name: TOPICS.anchors, partitions: 1, retention: 'forever' },
  { name: TOPICS.deviceHealth, partitions: 16, retention: 'compacted' },
  { name: TOPICS.feed, partitions: 8, retention: 'volatile' },
  { name: TOPICS.deadLetters, partitions: 1, retention: 'forever' },
];
