import { retry, type Backoff } from '../ambient/retry.ts';
import {
  LogUnavailableError,
  UnreadableBatchError,
  causeMessage,
  causeOfClass,
  errorType,
} from './errors.ts';
import type { KafkaLimits } from './options.ts';

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Another try changes nothing. (An unknown topic is none of them: a broker that starts knows no topic at first.) */
const PERMANENT = new Set([
  'INVALID_TOPIC_EXCEPTION',
  'TOPIC_ALREADY_EXISTS',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'INVALID_REPLICATION_FACTOR',
  'INVALID_PARTITIONS',
  'INVALID_CONFIG',
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'POLICY_VIOLATION',
]);

/** Asked after its end: a new connection would be left to nobody. */
export class ClosedError extends Error {
  constructor() {
    super('the event log is closed');
  }
}

export function isPermanent(error: unknown): boolean {
  return (
    error instanceof ClosedError ||
    causeOfClass(error, UnreadableBatchError) !== undefined ||
    PERMANENT.has(errorType(error) ?? '')
  );
}

/** Settles as `work` does, or rejects after `ms`; `work` then goes on unheard. */
export function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer in time`)), ms);
  });
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * Tries until `limits.readTimeoutMs` are over; `renew` gets a new connection after a failure, as kafkajs goes on with
 * one that hangs. @throws LogUnavailableError, or the error itself when it is a permanent one
 */
export async function retrying<T>(
  what: string,
  limits: KafkaLimits,
  work: () => Promise<T>,
  renew: () => void,
): Promise<T> {
  const deadline = Date.now() + limits.readTimeoutMs;
  const attempt = () => within(Math.max(1, deadline - Date.now()), what, work());
  const mayRetry = (error: unknown): boolean => {
    renew();
    if (isPermanent(error)) return false;
    if (Date.now() + limits.retryDelayMs < deadline) return true;
    throw new LogUnavailableError(`Kafka does not answer: ${what}: ${causeMessage(error)}`, { cause: error });
  };
  return retry(attempt, { backoff: constantBackoff(limits.retryDelayMs), delay: pause, mayRetry });
}

/** The same wait before every attempt. */
export function constantBackoff(ms: number): Backoff {
  return { firstMs: ms, longestMs: ms };
}
