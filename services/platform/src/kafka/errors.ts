import { PortError } from '../ports/errors.ts';

/** A topic of the configuration does not exist. */
export class TopicMissingError extends PortError {
  constructor(topics: readonly string[]) {
    super('TOPIC_MISSING', `make the topics first (sentinel topics); missing: ${topics.join(', ')}`);
  }
}

/** `sentinel topics` was told another number of copies than the topics have; it cannot change it. */
export class ReplicasDifferError extends PortError {
  constructor(topic: string, present: number, given: number) {
    super(
      'REPLICAS_DIFFER',
      `${topic} has ${present} replicas, not ${given}: give --replication-factor ${present}, or change the replicas first (kafka-reassign-partitions)`,
    );
  }
}

export { LogUnavailableError } from '../ports/errors.ts';

/** The innermost words of a kafkajs error, for a log line. */
export function causeMessage(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof Error ? at.message : String(at);
}

/** kafkajs's field `type` names the protocol's error; it may lie some causes deep. */
export function errorType(error: unknown): string | undefined {
  let at = error;
  while (at instanceof Error) {
    if ('type' in at && typeof at.type === 'string') return at.type;
    at = at.cause;
  }
  return undefined;
}
