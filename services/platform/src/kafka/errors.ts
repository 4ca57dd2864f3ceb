import { PortError } from '../ports/errors.ts';
import { KAFKA_LIMITS } from './options.ts';

/** A configured topic does not exist. */
export class TopicMissingError extends PortError {
  constructor(topics: readonly string[]) {
    super('TOPIC_MISSING', `make the topics first (sentinel topics); missing: ${topics.join(', ')}`);
  }
}

/** A topic is gone, and others of the same log hold records: a new one would be empty, and running services would go on with it. */
export class TopicDeletedError extends PortError {
  constructor(deleted: readonly string[], used: string) {
    super(
      'TOPIC_DELETED',
      `${deleted.join(', ')} is not there, but ${used} holds records: somebody deleted it, and a new one would lack its records. Stop all services, then put it back, or empty both stores and restore the newest backup`,
    );
  }
}

/** `sentinel topics` was given another number of replicas than the topics have; it cannot change the number. */
export class ReplicasDifferError extends PortError {
  constructor(topic: string, present: number, given: number) {
    super(
      'REPLICAS_DIFFER',
      `${topic} has ${present} replicas, not ${given}: give --replication-factor ${present}, or change the replicas first (kafka-reassign-partitions)`,
    );
  }
}

/** The cluster has fewer brokers than each record is to have copies. */
export class TooFewBrokersError extends PortError {
  constructor(brokers: number, replicationFactor: number, options?: ErrorOptions) {
    super(
      'TOO_FEW_BROKERS',
      `Kafka has ${brokers} ${brokers === 1 ? 'broker' : 'brokers'} up, too few for ${replicationFactor} copies of each record: give --replication-factor ${brokers}${brokers === 1 ? ' where a single broker is enough' : ''}, or start the other brokers`,
      options,
    );
  }
}

/** Kafka refuses to make or change a topic for good. */
export class TopicRefusedError extends PortError {
  constructor(error: unknown) {
    super('TOPIC_REFUSED', `Kafka refuses to make or change the topics: ${causeMessage(error)}`, {
      cause: error,
    });
  }
}

/** This version cannot decode some records; a retry would fail again. */
export class UnreadableBatchError extends PortError {
  constructor(cause: string, firstOffset: bigint, options?: ErrorOptions) {
    super('LOG_UNREADABLE', `the records from offset ${firstOffset} on cannot be decoded: ${cause}`, options);
  }
}

/** A group has finished records that the log no longer has, so its results belong to another log. */
export class LogEndLostError extends PortError {
  constructor(topic: string, partition: number, end: string, group: string, position: string) {
    super(
      'LOG_IS_OLDER',
      `the log is older than its readers: ${topic} partition ${partition} ends at offset ${end}, ${group} has finished what is before ${position}. Was it put back, or did it lose its end? Stop all services, and restore both from one moment`,
    );
  }
}

/** The topic refuses a record even when it is sent alone. */
export class RecordRefusedError extends PortError {
  constructor(topic: string, bytes: number, options?: ErrorOptions) {
    super(
      'RECORD_REFUSED',
      `a record of about ${bytes} bytes is larger than ${topic} takes: set its max.message.bytes to ${KAFKA_LIMITS.maxMessageBytes} (sentinel topics)`,
      options,
    );
  }
}

/** Kafka knows the user but denies the request. */
export class AccessDeniedError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('LOG_ACCESS_DENIED', message, options);
  }
}

/** Kafka refuses the credentials, or does not know the user. */
export class SignInRefusedError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('LOG_SIGN_IN_REFUSED', message, options);
  }
}

export { LogUnavailableError } from '../ports/errors.ts';

/** Returns the innermost message of a kafkajs error, or the message of an error of this system, for a log line. */
export function causeMessage(error: unknown): string {
  let at = error;
  while (at instanceof Error && !(at instanceof PortError) && at.cause instanceof Error) at = at.cause;
  return at instanceof Error ? at.message : String(at);
}

/** Returns the error, or the first of its causes, that is of this class. */
export function causeOfClass<T extends Error>(
  error: unknown,
  kind: abstract new (...args: never[]) => T,
): T | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof kind) return at;
  return undefined;
}

/**
 * Returns the protocol's name of the error, from kafkajs's field `type`; it may be some causes deep, or in the first
 * of several errors.
 */
export function errorType(error: unknown): string | undefined {
  let at = error;
  while (at instanceof Error) {
    if ('type' in at && typeof at.type === 'string') return at.type;
    if (at.name === 'KafkaJSSASLAuthenticationError') return 'SASL_AUTHENTICATION_FAILED';
    at = 'errors' in at && Array.isArray(at.errors) ? at.errors[0] : at.cause;
  }
  return undefined;
}
