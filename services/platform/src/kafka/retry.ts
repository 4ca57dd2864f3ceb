import { LogUnavailableError, causeMessage, errorType } from './errors.ts';
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
  'POLICY_VIOLATION',
]);

/** Asked after its end: a new connection would be left to nobody. */
export class ClosedError extends Error {
  constructor() {
    super('the event log is closed');
  }
}

export function isPermanent(error: unknown): boolean {
  return error instanceof ClosedError || PERMANENT.has(errorType(error) ?? '');
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
  for (;;) {
    try {
      return await within(Math.max(1, deadline - Date.now()), what, work());
    } catch (error) {
      renew();
      if (isPermanent(error)) throw error;
      if (Date.now() + limits.retryDelayMs >= deadline)
        throw new LogUnavailableError(`Kafka does not answer: ${what}: ${causeMessage(error)}`, {
          cause: error,
        });
      await pause(limits.retryDelayMs);
    }
  }
}
