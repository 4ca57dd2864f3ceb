import { TOPICS } from '@sentinel-node/contracts';
import type { TopicSpec } from './ports/event-log.ts';

interface Partitions {
  readonly registry: number;
  /**
   * Partitions of `fileEvents` and `chain`: equal numbers, so that a file's records are in the same partition of
   * both.
   */
  readonly files: number;
  readonly deviceHealth: number;
  readonly feed: number;
  readonly notices: number;
}

const topicsWith = ({ registry, files, deviceHealth, feed, notices }: Partitions): readonly TopicSpec[] => [
  { name: TOPICS.registry, partitions: registry, retention: 'forever' },
  { name: TOPICS.fileEvents, partitions: files, retention: 'forever' },
  { name: TOPICS.chain, partitions: files, retention: 'forever' },
  { name: TOPICS.anchors, partitions: 1, retention: 'forever' },
  { name: TOPICS.deviceHealth, partitions: deviceHealth, retention: 'compacted' },
  { name: TOPICS.feed, partitions: feed, retention: 'volatile' },
  { name: TOPICS.deadLetters, partitions: 1, retention: 'forever' },
  { name: TOPICS.operations, partitions: 1, retention: 'forever' },
  { name: TOPICS.notices, partitions: notices, retention: 'forever' },
];

/** Topics of the embedded store: in a single process, few partitions give larger batches. */
export const EMBEDDED_TOPICS = topicsWith({ registry: 1, files: 4, deviceHealth: 2, feed: 2, notices: 1 });

/** Topics of a cluster: as many verifiers can work at once as there are partitions of files. */
export const CLUSTER_TOPICS = topicsWith({ registry: 8, files: 64, deviceHealth: 16, feed: 8, notices: 8 });
