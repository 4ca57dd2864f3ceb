import { GenericContainer, Wait } from 'testcontainers';
import type { StartedTestContainer } from 'testcontainers';
import { freePorts } from './ports.ts';
import { runCommand } from './run-command.ts';
import type { LaunchedServer, LaunchOptions } from './server.ts';

const KAFKA_IMAGE = 'apache/kafka:4.1.0';
const MONGO_IMAGE = 'mongo:8.0';
const START_DEADLINE_MS = 180_000;

/**
 * Starts Kafka in Docker. The ports of the host are chosen before the start, so that a restarted container keeps its
 * addresses.
 */
export async function launchDockerKafka(options: LaunchOptions): Promise<LaunchedServer> {
  const [direct = 0, behindProxy = 0] = await freePorts(2);
  const container = await new GenericContainer(KAFKA_IMAGE)
    .withExposedPorts({ container: 9092, host: direct }, { container: 9094, host: behindProxy })
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_LISTENERS: 'DIRECT://:9092,PROXIED://:9094,CONTROLLER://:9093',
      KAFKA_ADVERTISED_LISTENERS: `DIRECT://127.0.0.1:${direct},PROXIED://127.0.0.1:${options.proxyPort ?? behindProxy}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'DIRECT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_INTER_BROKER_LISTENER_NAME: 'DIRECT',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_MESSAGE_MAX_BYTES: '5242880',
      KAFKA_QUOTA_WINDOW_NUM: '3',
      KAFKA_QUOTA_WINDOW_SIZE_SECONDS: '1',
    })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(START_DEADLINE_MS)
    .start();
  const at = (port: number) => `127.0.0.1:${port}`;
  return controls(container, at(direct), options, at, behindProxy);
}

/** Starts MongoDB in Docker: a replica set of one, as the product requires; the driver must stay on this address. */
export async function launchDockerMongo(options: LaunchOptions): Promise<LaunchedServer> {
  const [port = 0] = await freePorts(1);
  const container = await new GenericContainer(MONGO_IMAGE)
    .withExposedPorts({ container: 27017, host: port })
    .withCommand(['--replSet', 'rs0', '--bind_ip_all', '--setParameter', 'enableTestCommands=1'])
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/i))
    .withStartupTimeout(START_DEADLINE_MS)
    .start();
  const initiate =
    'try { rs.status() } catch { rs.initiate() }; while (!db.hello().isWritablePrimary) sleep(50)';
  const answer = await container.exec(['mongosh', '--quiet', '--eval', initiate]);
  if (answer.exitCode !== 0) throw new Error(`the replica set was not made: ${answer.output}`);
  const at = (here: number) => `mongodb://127.0.0.1:${here}/?directConnection=true`;
  return controls(container, at(port), options, at, port);
}

function controls(
  container: StartedTestContainer,
  address: string,
  options: LaunchOptions,
  at: (port: number) => string,
  proxyTarget: number,
): LaunchedServer {
  const id = container.getId();
  const docker = async (...args: string[]) => void (await runCommand('docker', [...args, id]));
  return {
    address,
    proxied: options.proxyPort === undefined ? undefined : at(options.proxyPort),
    proxyTarget,
    kill: () => docker('kill'),
    halt: () => docker('stop'),
    restart: () => docker('start'),
    stop: async () => void (await container.stop()),
  };
}
