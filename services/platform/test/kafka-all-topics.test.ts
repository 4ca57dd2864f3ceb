/** Tests the answers about all topics of a cluster that others use too. */
import { createRequire } from 'node:module';
import t from 'tap';
import '../src/kafka/client.ts';

const requireInner = createRequire(import.meta.url);
const Broker = requireInner('kafkajs/src/broker');
const apiKeys = requireInner('kafkajs/src/protocol/requests/apiKeys');
const Encoder = requireInner('kafkajs/src/protocol/encoder');

const LEADER_NOT_AVAILABLE = 5;
const OURS = 'sentinel.file-events.v1';
const FOREIGN = 'of-others';

interface Topic {
  readonly name: string;
  readonly error?: number;
  readonly partitionError?: number;
}

/** Encodes a Metadata response of version 6, as a broker answers it. */
function answerOf(topics: readonly Topic[]): Buffer {
  const broker = () => new Encoder().writeInt32(1).writeString('broker').writeInt32(9092).writeString(null);
  const partition = (error: number) =>
    new Encoder()
      .writeInt16(error)
      .writeInt32(0)
      .writeInt32(error === 0 ? 1 : -1)
      .writeArray([1], 'int32')
      .writeArray(error === 0 ? [1] : [], 'int32')
      .writeArray(error === 0 ? [] : [1], 'int32');
  const topic = ({ name, error = 0, partitionError = 0 }: Topic) =>
    new Encoder()
      .writeInt16(error)
      .writeString(name)
      .writeBoolean(false)
      .writeArray([partition(partitionError)]);
  return new Encoder()
    .writeInt32(0)
    .writeArray([broker()])
    .writeString('cluster')
    .writeInt32(1)
    .writeArray(topics.map(topic)).buffer as Buffer;
}

/** Returns kafkajs's broker over a connection that gives this answer. */
async function brokerThatAnswers(topics: readonly Topic[]) {
  const connection = {
    getSupportAuthenticationProtocol: () => true,
    authenticate: () => Promise.resolve(),
    send: async ({ response }: { response: { decode: Decode; parse: Decode } }) =>
      response.parse(await response.decode(answerOf(topics))),
  };
  const connectionPool = {
    ...connection,
    host: 'broker',
    port: 9092,
    isConnected: () => false,
    getConnection: () => Promise.resolve(connection),
    setVersions: () => undefined,
  };
  const versions = { [apiKeys.Metadata]: { minVersion: 0, maxVersion: 6 } };
  const logger = { namespace: () => ({ debug: () => undefined }) };
  const broker = new Broker({ connectionPool, logger, versions });
  await broker.connect();
  return broker;
}
type Decode = (data: unknown) => Promise<unknown>;

for (const fault of [{ partitionError: LEADER_NOT_AVAILABLE }, { error: LEADER_NOT_AVAILABLE }])
  t.test(`a foreign topic without a leader hides nothing (${Object.keys(fault)[0]})`, async (t) => {
    const broker = await brokerThatAnswers([{ name: OURS }, { name: FOREIGN, ...fault }]);
    const { clusterId, brokers, topicMetadata } = await broker.metadata([]);
    t.equal(clusterId, 'cluster');
    t.equal(brokers.length, 1);
    t.strictSame(
      topicMetadata.map(({ topic }: { topic: string }) => topic),
      [OURS, FOREIGN],
    );
    await t.resolves(broker.metadata());
  });

t.test('a topic that is asked for by name must have its leaders', async (t) => {
  for (const fault of [{ partitionError: LEADER_NOT_AVAILABLE }, { error: LEADER_NOT_AVAILABLE }]) {
    const broker = await brokerThatAnswers([{ name: OURS, ...fault }]);
    await t.rejects(broker.metadata([OURS]), /no leader/);
  }
});
