import { messageOf } from '@sentinel-node/contracts/thrown';
import { withLock } from './cache.ts';
import { isLocalKafkaPrepared, launchLocalKafka, prepareLocalKafka } from './local-kafka.ts';
import { launchLocalKafkaCluster } from './local-kafka-cluster.ts';
import { isLocalMongoPrepared, launchLocalMongo, prepareLocalMongo } from './local-mongo.ts';
import { isCommandUsable } from './run-command.ts';
import { TestServerUnavailableError } from './server.ts';
import type { LaunchedServer, LaunchOptions, ServerKind } from './server.ts';

/** Command that succeeds if the tool is installed. */
type Tool = readonly [command: string, ...args: string[]];

interface LocalWay {
  readonly runsWith: readonly Tool[];
  readonly preparedWith: readonly Tool[];
  readonly isPrepared: () => boolean;
  readonly prepare: () => Promise<string>;
  readonly launch: (prepared: string, options: LaunchOptions) => Promise<LaunchedServer>;
}

const KAFKA: LocalWay = {
  runsWith: [['java', '-version']],
  preparedWith: [['mvn', '-v']],
  isPrepared: isLocalKafkaPrepared,
  prepare: prepareLocalKafka,
  launch: launchLocalKafka,
};

const LOCAL: Readonly<Record<ServerKind, LocalWay>> = {
  kafka: KAFKA,
  'kafka-cluster': { ...KAFKA, launch: launchLocalKafkaCluster },
  mongo: {
    runsWith: [],
    preparedWith: [['python3', '-c', 'import venv, ensurepip']],
    isPrepared: isLocalMongoPrepared,
    prepare: prepareLocalMongo,
    launch: launchLocalMongo,
  },
};

/** Launches by Docker if an engine answers, else by the local tool chain. @throws TestServerUnavailableError */
export async function launch(kind: ServerKind, options: LaunchOptions): Promise<LaunchedServer> {
  // Brokers with wishes, and a cluster whose brokers can be frozen, run as processes of this machine, even with
  // Docker.
  if (kind !== 'kafka-cluster' && options.kafka === undefined && isCommandUsable('docker', 'version')) {
    // Loaded only here, because the test containers are a development dependency.
    const { launchDockerKafka, launchDockerMongo } = await import('./docker-servers.ts');
    return kind === 'kafka' ? launchDockerKafka(options) : launchDockerMongo(options);
  }
  return LOCAL[kind].launch(await prepareLocal(kind), options);
}

/** Prepares the local tool chain, once. @throws TestServerUnavailableError */
async function prepareLocal(kind: ServerKind): Promise<string> {
  const { runsWith, preparedWith, isPrepared, prepare } = LOCAL[kind];
  const tools = isPrepared() ? runsWith : [...runsWith, ...preparedWith];
  const missing = tools.filter((tool) => !isCommandUsable(...tool)).map(([command]) => command);
  if (missing.length > 0)
    throw new TestServerUnavailableError(
      `no ${kind}: no address in the environment, no Docker engine answers, ${missing.join(' and ')} cannot be run`,
    );
  try {
    return await withLock(`prepare-${kind === 'mongo' ? 'mongo' : 'kafka'}`, prepare);
  } catch (error) {
    const detail = messageOf(error).trim().split('\n').at(-1);
    throw new TestServerUnavailableError(`no ${kind}: no Docker engine answers, and ${detail}`);
  }
}

/** Prepares everything for `launch` and returns its way in words for a person. @throws TestServerUnavailableError */
export async function prepareLaunch(kind: ServerKind): Promise<string> {
  if (isCommandUsable('docker', 'version')) return 'Docker';
  await prepareLocal(kind);
  return 'the local tool chain';
}
