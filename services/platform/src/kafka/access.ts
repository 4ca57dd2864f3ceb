import { subjectOf } from './client-files.ts';
import { AccessDeniedError, causeMessage, causeOfClass, errorType, SignInRefusedError } from './errors.ts';
import type { KafkaConnection } from './options.ts';

/** What a call needs, in the words of `kafka-acls`. */
export interface Right {
  readonly operation:
    'Read' | 'Write' | 'Create' | 'Describe' | 'DescribeConfigs' | 'AlterConfigs' | 'IdempotentWrite';
  readonly on: 'topic' | 'group' | 'cluster';
  /** Of the cluster: none. */
  readonly names?: readonly string[];
}

const REFUSALS: Readonly<Record<string, Right['on']>> = {
  TOPIC_AUTHORIZATION_FAILED: 'topic',
  GROUP_AUTHORIZATION_FAILED: 'group',
  CLUSTER_AUTHORIZATION_FAILED: 'cluster',
};

/** The error, or in its place the one that names the right to grant, on what, and to whom. @param rights of the call */
export function explained(error: unknown, connection: KafkaConnection, rights: readonly Right[]): unknown {
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

/** As the broker calls the client by default; brokers may be told to make other names of certificates and tokens. */
export function principal({ sasl, tls }: KafkaConnection): string {
  if (sasl !== undefined) return `User:${sasl.username}`;
  if (typeof tls !== 'object' || tls.certFile === undefined) return 'User:ANONYMOUS';
  return `User:${subjectOf(tls.certFile)}`;
}
