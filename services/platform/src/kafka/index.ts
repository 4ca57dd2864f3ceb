export { LogUnavailableError, TopicMissingError } from './errors.ts';
export type { KafkaEventLog } from './kafka-event-log.ts';
export { openKafkaEventLog } from './open.ts';
export { KAFKA_LIMITS } from './options.ts';
export type { KafkaConnection, KafkaEventLogOptions, KafkaLimits, KafkaSasl } from './options.ts';
export { createTopics, topicSettings } from './topics.ts';
export type { CreatedTopics, CreateTopicsOptions } from './topics.ts';
