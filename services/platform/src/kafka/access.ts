import { subjectOf } from '../egress/client-files.ts';
import { AccessDeniedError, causeMessage, causeOfClass, errorType, SignInRefusedError } from './errors.ts';
import type { KafkaConnection } from './options.ts';

/** A right that a call needs, in the terms of `kafka-acls`. */
export interface Right {
  readonly operation:
    | 'Read'
    | 'Write'
    | 'Create'
    | 'Describe'
    | 'DescribeConfigs'
    | 'AlterConfigs'
    | 'IdempotentWrite';
  readonly on: 'topic' | 'group' | 'cluster';
  /** Names of topics or groups; absent for the cluster. */
  readonly names?: readonly string[];
}

const REFUSALS: Readonly<Record<string, Right['on']>> = {
  TOPIC_AUTHORIZATION_FAILED: 'topic',
  GROUP_AUTHORIZATION_FAILED: 'group',
  CLUSTER_AUTHORIZATION_FAILED: 'cluster',
};

/**
 * Returns the error, or in its place an error that names the right to grant, its object and its user.
 * @param rights rights that the call needs
 */
export function withMissingRight(
  error: unknown,
  connection: KafkaConnection,
  rights: readonly Right[],
): unknown {
  const refused = causeOfClass(error, SignInRefusedError);
  if (refused !== undefined) return refused;
  const type = errorType(error) ?? '';
  if (type === 'SASL_AUTHENTICATION_FAILED')
    return new SignInRefusedError(
      `${principal(connection)} cannot sign in to Kafka: ${causeMessage(error)}`,
      {
        cause: error,
      },
    );
  const on = REFUSALS[type];
  if (on === undefined) return error;
  const missing = rights.filter((right) => right.on === on);
  if (missing.length === 0) return error;
  const user = principal(connection);
  const words = missing.map(({ operation, names = [] }) => `${operation} on ${[on, ...names].join(' ')}`);
  return new AccessDeniedError(
    `Kafka does not allow ${user} to ${words.join(', ')}; grant it: kafka-acls --add --allow-principal "${user}" ${missing.map(argumentsOf).join(' ')}`,
    { cause: error },
  );
}

function argumentsOf({ operation, on, names = [] }: Right): string {
  return [
    `--operation ${operation}`,
    ...(on === 'cluster' ? ['--cluster'] : names.map((name) => `--${on} ${name}`)),
  ].join(' ');
}

/**
 * Returns the client's name as brokers build it by default; brokers may map certificates and tokens to other names.
 */
export function principal({ sasl, tls }: KafkaConnection): string {
  if (sasl !== undefined) return `User:${sasl.username}`;
  if (typeof tls !== 'object' || tls.certFile === undefined) return 'User:ANONYMOUS';
  return `User:${subjectOf(tls.certFile)}`;
}
