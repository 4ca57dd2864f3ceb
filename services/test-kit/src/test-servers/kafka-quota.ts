/** Client quotas of a real broker, which kafkajs has no call for (AlterClientQuotas, KIP-546). */
import { createRequire } from 'node:module';
import kafkajs from 'kafkajs';

const API_KEY = 49;
const ANSWER_ERROR_AT_BYTE = 8;

/** Bytes a second, or percent of the broker's request threads; undefined takes the quota away. */
export interface ClientQuota {
  readonly consumer_byte_rate?: number | undefined;
  readonly producer_byte_rate?: number | undefined;
  readonly request_percentage?: number | undefined;
}

interface Encoder {
  readonly buffer: Buffer;
  writeArray(values: readonly Encoder[]): Encoder;
  writeBoolean(value: boolean): Encoder;
  writeDouble(value: number): Encoder;
  writeString(value: string | null): Encoder;
}
interface InnerCluster {
  connect(): Promise<void>;
  refreshMetadata(): Promise<void>;
  disconnect(): Promise<void>;
  findControllerBroker(): Promise<{
    readonly connectionPool: { send(request: object): Promise<Buffer> };
  }>;
}

const requireInner = createRequire(import.meta.url);
const Cluster = requireInner('kafkajs/src/cluster') as new (options: object) => InnerCluster;
const InnerEncoder = requireInner('kafkajs/src/protocol/encoder') as new () => Encoder;
const { createLogger } = requireInner('kafkajs/src/loggers') as {
  createLogger: (options: object) => unknown;
};
const createSocketFactory = requireInner('kafkajs/src/network/socketFactory') as () => unknown;

/** Sets the quota of one client id, or of every client that has none of its own (`undefined`). */
export async function setClientQuota(
  brokers: string,
  clientId: string | undefined,
  quota: ClientQuota,
): Promise<void> {
  const cluster = new Cluster({
    brokers: brokers.split(','),
    clientId: 'sentinel-test-quotas',
    socketFactory: createSocketFactory(),
    connectionTimeout: 5_000,
    requestTimeout: 10_000,
    enforceRequestTimeout: true,
    retry: { retries: 5 },
    metadataMaxAge: 60_000,
    logger: createLogger({ level: kafkajs.logLevel.NOTHING, logCreator: () => () => undefined }),
  });
  await cluster.connect();
  await cluster.refreshMetadata();
  try {
    const { connectionPool } = await cluster.findControllerBroker();
    const answer = await connectionPool.send(request(clientId, quota));
    // Throttle time, number of entries, then the code of the only entry.
    const code = answer.readInt16BE(ANSWER_ERROR_AT_BYTE);
    if (code !== 0) throw new Error(`AlterClientQuotas answered error ${code}`);
  } finally {
    await cluster.disconnect();
  }
}

/** Version 0 of the request; the answer stays bytes. */
function request(clientId: string | undefined, quota: ClientQuota): object {
  const entity = new InnerEncoder().writeString('client-id').writeString(clientId ?? null);
  const operations = Object.entries(quota).map(([key, value]: [string, number | undefined]) =>
    new InnerEncoder()
      .writeString(key)
      .writeDouble(value ?? 0)
      .writeBoolean(value === undefined),
  );
  const entry = new InnerEncoder().writeArray([entity]).writeArray(operations);
  const encode = () => Promise.resolve(new InnerEncoder().writeArray([entry]).writeBoolean(false));
  return {
    request: { apiKey: API_KEY, apiVersion: 0, apiName: 'AlterClientQuotas', encode },
    response: {
      decode: (answer: Buffer) => Promise.resolve(answer),
      parse: (answer: Buffer) => Promise.resolve(answer),
    },
  };
}
