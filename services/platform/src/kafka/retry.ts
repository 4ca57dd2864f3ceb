import { oneLine } from '@sentinel-node/contracts/thrown';
import { retry, type Backoff } from '../ambient/retry.ts';
import { ConfigError } from '../config/config-error.ts';
import { LogRecordsLostError } from '../ports/errors.ts';
import {
  LogEndLostError,
  LogUnavailableError,
  SignInRefusedError,
  UnreadableBatchError,
  causeMessage,
  causeOfClass,
  errorType,
} from './errors.ts';
import type { KafkaLimits } from './options.ts';

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Errors that a retry does not change. An unknown topic is not among them, because a starting broker knows no topic at
 * first.
 */
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

/** A call after `close`: its new connection would never be closed. */
export class ClosedError extends Error {
  constructor() {
    super('the event log is closed');
  }
}

export function isPermanent(error: unknown): boolean {
  return (
    error instanceof ClosedError ||
    causeOfClass(error, UnreadableBatchError) !== undefined ||
    causeOfClass(error, LogEndLostError) !== undefined ||
    causeOfClass(error, LogRecordsLostError) !== undefined ||
    causeOfClass(error, SignInRefusedError) !== undefined ||
    causeOfClass(error, ConfigError) !== undefined ||
    PERMANENT.has(errorType(error) ?? '')
  );
}

class LateError extends Error {}

/** Settles as `work` does, or rejects after `ms`; the result of `work` is then ignored. */
export function withTimeout<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new LateError(`${what}: no answer in time`)), ms);
  });
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * Retries until `limits.readTimeoutMs` have passed; `renew` replaces the connection after a failure, because kafkajs
 * keeps using a connection that hangs. @throws LogUnavailableError, or the error itself when it is permanent
 */
export async function retrying<T>(
  what: string,
  limits: KafkaLimits,
  work: () => Promise<T>,
  renew: () => void,
): Promise<T> {
  const deadline = Date.now() + limits.readTimeoutMs;
  const attempt = () => withTimeout(Math.max(1, deadline - Date.now()), what, work());
  // An attempt that the deadline cuts off does not explain why the earlier attempts failed.
  let known: unknown;
  const mayRetry = (error: unknown): boolean => {
    renew();
    if (isPermanent(error)) return false;
    if (known === undefined || !(error instanceof LateError)) known = error;
    if (Date.now() + limits.retryDelayMs < deadline) return true;
    throw new LogUnavailableError(
      `Kafka does not answer: ${what}: ${oneLine(causeMessage(known))}${hint(known)}`,
      {
        cause: known,
      },
    );
  };
  return retry(attempt, { backoff: constantBackoff(limits.retryDelayMs), delay: pause, mayRetry });
}

/** Settings to check for errors of TLS, which appear as alerts of a library. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /alert (certificate|bad certificate|unknown ca|handshake failure)/i,
    'the broker does not take the certificate of this client, or asks for one (SENTINEL_KAFKA_TLS_CERT)',
  ],
  [
    /unable to (verify|get)|self.signed|altnames|certificate has expired/i,
    'the certificate of the broker is not trusted (SENTINEL_KAFKA_TLS_CA, NODE_EXTRA_CA_CERTS)',
  ],
];

function hint(error: unknown): string {
  const found = HINTS.find(([pattern]) => pattern.test(causeMessage(error)));
  return found === undefined ? '' : `: ${found[1]}`;
}

/** Returns the same wait before every attempt. */
export function constantBackoff(ms: number): Backoff {
  return { firstMs: ms, longestMs: ms };
}
