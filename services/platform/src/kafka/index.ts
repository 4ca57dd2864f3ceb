export { LogUnavailableError, TopicMissingError } from './errors.ts';
export type { KafkaEventLog } from './kafka-event-log.ts';
export { openKafkaEventLog } from './open.ts';
export { KAFKA_LIMITS } from './options.ts';
export type { KafkaConnection, KafkaEventLogOptions, KafkaLimits, KafkaSasl } from './options.ts';
export { differenceLine, topicSettings } from './topic-settings.ts';
export type { CreateTopicsOptions, Difference } from './topic-settings.ts';
export { createTopics } from './topics.ts';
export type { CreatedTopics } from './topics.ts';
