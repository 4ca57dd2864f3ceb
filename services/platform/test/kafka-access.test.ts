/** Tests users without one right: the error names the right, its object and the user who needs it. */
import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import type { AclEntry } from 'kafkajs';
import t from 'tap';
import type { Test } from 'tap';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import type { KafkaConnection, KafkaEventLog } from '../src/kafka/index.ts';
import type { TopicSpec } from '../src/ports/event-log.ts';
import { freePorts, startOwnKafka } from '@sentinel-node/test-kit/test-servers';
import { adminOf, record, topic, until } from './kafka-harness.ts';

t.setTimeout(900_000);

const { AclOperationTypes: Operation, AclResourceTypes: Resource } = kafkajs;
const USERS = ['writer', 'reader', 'nobody'] as const;
const PASSWORD = 'correct-horse';

const [port = 0] = await freePorts(1);
const kafka = await startOwnKafka(t, {
  listeners: { PASSWORDS: { protocol: 'SASL_PLAINTEXT', port } },
  settings: {
    'listener.name.passwords.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.passwords.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required ${USERS.map((user) => `user_${user}="${PASSWORD}"`).join(' ')};`,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS',
  },
});
if (kafka !== undefined) {
  const { brokers } = kafka;
  const admin = await adminOf(t, brokers);
  const limits = { readTimeoutMs: 15_000 };

  const as = (username: string, password = PASSWORD): KafkaConnection => ({
    brokers: [`127.0.0.1:${port}`],
    sasl: { mechanism: 'plain', username, password },
  });
  const admins = new Map<string, Promise<kafkajs.Admin>>();
  const adminAs = (user: string): Promise<kafkajs.Admin> => {
    const made =
      admins.get(user) ??
      adminOf(t, `127.0.0.1:${port}`, {
        mechanism: 'plain',
        username: user,
        password: PASSWORD,
      });
    admins.set(user, made);
    return made;
  };
  /**
   * Returns whether a first right to a topic or group applies: the broker applies it a while after the answer to its
   * grant, and the coordinator of the first group is made and loaded only then.
   */
  const sees = (user: kafkajs.Admin, type: number, name: string): Promise<boolean> => {
    const asked =
      type === Resource.GROUP
        ? user.fetchOffsets({ groupId: name })
        : user.fetchTopicMetadata({ topics: [name] });
    return asked.then(
      () => true,
      (error: { type?: string; name?: string; retriable?: boolean }) => {
        // kafkajs does not say that the coordinator of a group is not found for want of a right.
        const isDenied =
          /_AUTHORIZATION_FAILED$/.test(error.type ?? '') || error.name === 'KafkaJSGroupCoordinatorNotFound';
        if (!isDenied && error.retriable !== true) throw error as Error;
        return false;
      },
    );
  };
  /** Resolves when the rights apply, but for a further right to a topic or group that the user saw before. */
  const grant = async (user: string, ...rights: (readonly [number, number, string])[]) => {
    const acl: AclEntry[] = rights.map(([operation, resourceType, resourceName]) => ({
      principal: `User:${user}`,
      host: '*',
      operation,
      permissionType: kafkajs.AclPermissionTypes.ALLOW,
      resourceType,
      resourceName,
      resourcePatternType: kafkajs.ResourcePatternTypes.LITERAL,
    }));
    await admin.createAcls({ acl });
    const own = await adminAs(user);
    for (const [, type, name] of rights) await until(`${user} sees ${name}`, () => sees(own, type, name));
  };
  const made = async (): Promise<TopicSpec> => {
    const spec = topic(1);
    await createTopics({ brokers: [brokers] }, [spec], { replicationFactor: 1 });
    return spec;
  };
  const open = async (t: Test, user: string, spec: TopicSpec): Promise<KafkaEventLog> => {
    const log = await openKafkaEventLog({ ...as(user), topics: [spec], limits });
    t.teardown(() => log.close());
    return log;
  };
  /** The end of the subscription; without a listener in the test it would be an unhandled rejection. */
  const failure = (failed: Promise<never>) => failed.catch((error: unknown) => error);

  t.test('a wrong password is said at once, with the user', async (t) => {
    const spec = await made();
    await t.rejects(openKafkaEventLog({ ...as('writer', 'wrong'), topics: [spec], limits }), {
      code: 'LOG_SIGN_IN_REFUSED',
      message: /^User:writer cannot sign in to Kafka: .*[Ii]nvalid username or password/,
    });
  });

  t.test('a topic that a user may not see is not called missing', async (t) => {
    const spec = await made();
    await t.rejects(openKafkaEventLog({ ...as('nobody'), topics: [spec], limits }), {
      code: 'LOG_ACCESS_DENIED',
      message: `Kafka does not allow User:nobody to Describe on topic ${spec.name}; grant it: kafka-acls --add --allow-principal "User:nobody" --operation Describe --topic ${spec.name}`,
    });
  });

  t.test('without the right to write an append names it', async (t) => {
    const spec = await made();
    await grant('reader', [Operation.READ, Resource.TOPIC, spec.name]);
    const log = await open(t, 'reader', spec);
    await t.rejects(log.append(spec.name, [record('one')]), {
      code: 'NOT_DURABLE',
      message: new RegExp(`User:reader to (Write on topic ${spec.name}|IdempotentWrite on cluster)`),
    });
    await grant('reader', [Operation.WRITE, Resource.TOPIC, spec.name]);
    await until('the right is known', () =>
      log.append(spec.name, [record('two')]).then(
        () => true,
        () => false,
      ),
    );
  });

  t.test('without the right to read, reads, tails and groups name it', async (t) => {
    const spec = await made();
    await grant('writer', [Operation.WRITE, Resource.TOPIC, spec.name]);
    const log = await open(t, 'writer', spec);
    await log.append(spec.name, [record('one')]);
    const denied = {
      code: 'LOG_ACCESS_DENIED',
      message: new RegExp(`^Kafka does not allow User:writer to Read on topic ${spec.name}; grant it: `),
    };
    await t.rejects(async () => {
      for await (const batch of log.read(spec.name, 0, 0)) t.fail(`${batch.records.length} records`);
    }, denied);
    const tail = await log.tail(spec.name, new Map([[0, 0]]), () => undefined);
    t.match(await failure(tail.failed), denied);
    const group = randomUUID();
    await grant('writer', [Operation.READ, Resource.GROUP, group]);
    const consumer = await log.consume([spec.name], group, async () => undefined);
    t.match(await failure(consumer.failed), denied);
  });

  t.test('without the right to a group, the group is named', async (t) => {
    const spec = await made();
    await grant('reader', [Operation.READ, Resource.TOPIC, spec.name]);
    const log = await open(t, 'reader', spec);
    const consumer = await log.consume([spec.name], 'sentinel-test-group', async () => undefined);
    t.match(await failure(consumer.failed), {
      code: 'LOG_ACCESS_DENIED',
      message:
        /User:reader to Read on group sentinel-test-group; grant it: kafka-acls .* --operation Read --group sentinel-test-group$/,
    });
    await t.rejects(log.committed(spec.name, 'sentinel-test-group'), {
      code: 'LOG_ACCESS_DENIED',
      message: /Describe on group sentinel-test-group/,
    });
  });

  t.test('making and changing topics names the rights', async (t) => {
    const spec = await made();
    await t.rejects(createTopics(as('nobody'), [topic(1)], { replicationFactor: 1 }), {
      code: 'LOG_ACCESS_DENIED',
      message: /^Kafka does not allow User:nobody to Create on topic test\./,
    });
    await grant('nobody', [Operation.DESCRIBE, Resource.TOPIC, spec.name]);
    await t.rejects(createTopics(as('nobody'), [spec], { replicationFactor: 1 }), {
      code: 'LOG_ACCESS_DENIED',
      message: /User:nobody to DescribeConfigs on topic \S+, AlterConfigs on topic /,
    });
  });
}
