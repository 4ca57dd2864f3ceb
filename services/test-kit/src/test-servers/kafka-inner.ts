/** Sends requests that kafkajs has no call for to a real broker, over kafkajs's own connections. */
import { createRequire } from 'node:module';
import kafkajs from 'kafkajs';

export interface Encoder {
  readonly buffer: Buffer;
  writeArray(values: readonly Encoder[]): Encoder;
  writeBoolean(value: boolean): Encoder;
  writeDouble(value: number): Encoder;
  writeString(value: string | null): Encoder;
  writeBuffer(value: Buffer): Encoder;
}
type VersionRanges = Readonly<Record<number, { readonly minVersion: number; readonly maxVersion: number }>>;

interface InnerCluster {
  readonly brokerPool: { readonly versions: VersionRanges | null };
  connect(): Promise<void>;
  refreshMetadata(): Promise<void>;
  disconnect(): Promise<void>;
  findControllerBroker(): Promise<{
    readonly connectionPool: { send(request: object): Promise<Buffer> };
  }>;
}

const requireInner = createRequire(import.meta.url);
const Cluster = requireInner('kafkajs/src/cluster') as new (options: object) => InnerCluster;
export const InnerEncoder = requireInner('kafkajs/src/protocol/encoder') as new () => Encoder;
const { createLogger } = requireInner('kafkajs/src/loggers') as {
  createLogger: (options: object) => unknown;
};
const createSocketFactory = requireInner('kafkajs/src/network/socketFactory') as () => unknown;

export interface InnerRequest {
  readonly apiKey: number;
  readonly apiName: string;
  readonly body: Encoder;
}

export interface KafkaAddress {
  readonly brokers: readonly string[];
  readonly tls?: unknown;
  readonly sasl?: unknown;
}

function openCluster({ brokers, sasl, tls }: KafkaAddress): InnerCluster {
  return new Cluster({
    brokers: [...brokers],
    clientId: 'sentinel-test-admin',
    socketFactory: createSocketFactory(),
    connectionTimeout: 5_000,
    requestTimeout: 10_000,
    enforceRequestTimeout: true,
    retry: { retries: 5 },
    metadataMaxAge: 60_000,
    logger: createLogger({ level: kafkajs.logLevel.NOTHING, logCreator: () => () => undefined }),
    ...(tls !== undefined && { ssl: tls }),
    ...(sasl !== undefined && { sasl }),
  });
}

/** Returns the newest version of each request that a broker supports, by the request's number in Kafka's protocol. */
export async function newestVersions(address: KafkaAddress): Promise<ReadonlyMap<number, number>> {
  const cluster = openCluster(address);
  await cluster.connect();
  try {
    const ranges = Object.entries(cluster.brokerPool.versions ?? {});
    return new Map(ranges.map(([key, { maxVersion }]) => [Number(key), maxVersion]));
  } finally {
    await cluster.disconnect();
  }
}

/** Sends a request of version 0 to the broker that clients use as the controller. @returns the answer's bytes */
export async function askBroker(brokers: string, { apiKey, apiName, body }: InnerRequest): Promise<Buffer> {
  const cluster = openCluster({ brokers: brokers.split(',') });
  await cluster.connect();
  try {
    await cluster.refreshMetadata();
    const { connectionPool } = await cluster.findControllerBroker();
    const asIs = (answer: Buffer) => Promise.resolve(answer);
    return await connectionPool.send({
      request: { apiKey, apiVersion: 0, apiName, encode: () => Promise.resolve(body) },
      response: { decode: asIs, parse: asIs },
    });
  } finally {
    await cluster.disconnect();
  }
}
