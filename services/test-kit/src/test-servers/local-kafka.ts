import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { ChildServer, controlsOf } from './child-server.ts';
import { freePorts } from './ports.ts';
import { runCommand, runDownload } from './run-command.ts';
import type { KafkaSettings, LaunchedServer, LaunchOptions } from './server.ts';

const KAFKA = { group: 'org.apache.kafka', artifact: 'kafka_2.13', version: '4.1.0' };
/** Version that Kafka's own logging facade requires. */
const SLF4J = { group: 'org.slf4j', artifact: 'slf4j-simple', version: '1.7.36' };
/** Settings for short-lived brokers: a quick start matters more than the last tenth of speed. */
const MACHINE = ['-Xms256m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const QUIET = [
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
  '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info',
];
export const READY = /Kafka Server started/;

/**
 * Formatted log folder, which each broker copies to save the start of a virtual machine. The folder names no
 * port.
 */
export const TEMPLATE = 'formatted';
const CLUSTER_ID = 'c2VudGluZWwtdGVzdC1zMQ';

/**
 * Archive of a started broker's loaded classes, which saves more than half of a start's processor time
 * (https://docs.oracle.com/en/java/javase/17/vm/class-data-sharing.html). A virtual machine of another
 * version ignores the file.
 */
const CLASSES = 'classes.jsa';
/** Longest time for writing the classes, in ms; usually seconds, on a busy machine half a minute. */
const CLASSES_DEADLINE_MS = 120_000;

/** Returns the folder of the broker's parts; Maven downloads each version once. Call under a lock. */
export async function prepareLocalKafka(): Promise<string> {
  const folder = cacheFolder(`kafka-${KAFKA.version}`);
  if (!existsSync(join(folder, TEMPLATE))) await downloadKafka(folder);
  if (!existsSync(join(folder, CLASSES))) await storeClasses(folder);
  return folder;
}

async function downloadKafka(folder: string): Promise<void> {
  writeFileSync(join(folder, 'pom.xml'), pom());
  const lib = join(folder, 'lib');
  const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${lib}`];
  await runDownload('mvn', ['-q', '-B', ...copy], folder);
  const half = join(folder, `${TEMPLATE}.part`);
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half);
  const settings = join(folder, 'format.properties');
  writeFileSync(settings, properties(half, [19092, 19093, 19094], 19094));
  const format = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', settings];
  await runCommand('java', [...javaOptions(folder), ...format]);
  renameSync(half, join(folder, TEMPLATE));
}

/**
 * Starts a broker once and stops it, upon which the virtual machine writes the classes that it has loaded.
 */
async function storeClasses(folder: string): Promise<void> {
  const half = join(folder, `${CLASSES}.part`);
  rmSync(half, { force: true });
  const { server, home } = await localBroker(folder, {}, [...MACHINE, `-XX:ArchiveClassesAtExit=${half}`]);
  try {
    await server.start();
    await server.end('SIGTERM', CLASSES_DEADLINE_MS);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  renameSync(half, join(folder, CLASSES));
}

/** Returns whether everything is downloaded. */
export function isLocalKafkaPrepared(): boolean {
  return existsSync(join(cacheFolder(`kafka-${KAFKA.version}`), TEMPLATE));
}

export function javaOptions(folder: string, machine: readonly string[] = MACHINE): string[] {
  const classes = join(folder, CLASSES);
  const stored = existsSync(classes) ? [`-XX:SharedArchiveFile=${classes}`] : [];
  return ['-cp', join(folder, 'lib', '*'), ...stored, ...machine, ...QUIET];
}

function pom(): string {
  const dependencies = [KAFKA, SLF4J].map(
    ({ group, artifact, version }) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>test</groupId><artifactId>kafka</artifactId><version>1</version>
<dependencies>${dependencies.join('\n')}</dependencies></project>\n`;
}

/**
 * Launches one broker that is its own controller, with its data in a temporary folder.
 * @param prepared folder from `prepareLocalKafka`
 */
export async function launchLocalKafka(prepared: string, options: LaunchOptions): Promise<LaunchedServer> {
  const { server, home, broker, behindProxy } = await localBroker(prepared, options);
  await server.start();
  return {
    address: `127.0.0.1:${broker}`,
    proxied: options.proxyPort === undefined ? undefined : `127.0.0.1:${options.proxyPort}`,
    proxyTarget: behindProxy,
    ...controlsOf(server, home),
  };
}

/** Makes a broker without starting it. @returns the broker, the folder of its data, and its ports */
async function localBroker(prepared: string, options: LaunchOptions, machine = MACHINE) {
  const home = mkdtempSync(join(tmpdir(), 'sentinel-kafka-'));
  const [broker = 0, controller = 0, behindProxy = 0] = await freePorts(3);
  const settings = join(home, 'server.properties');
  const logs = join(home, 'logs');
  cpSync(join(prepared, TEMPLATE), logs, { recursive: true });
  const ports = [broker, controller, behindProxy] as const;
  const proxy = options.proxyPort ?? behindProxy;
  writeFileSync(settings, properties(logs, ports, proxy) + extraLines(options.kafka, ports, proxy));
  const args = [...javaOptions(prepared, machine), 'kafka.Kafka', settings];
  return { server: new ChildServer('java', args, broker, READY), home, broker, behindProxy };
}

/** Returns the lines of the additional settings; the broker uses the last of repeated settings. */
function extraLines(
  wishes: KafkaSettings | undefined,
  [broker, controller, proxied]: readonly [number, number, number],
  proxyPort: number,
): string {
  if (wishes === undefined) return '';
  const listeners = Object.entries(wishes.listeners);
  const at = listeners.map(([name, { port }]) => `,${name}://127.0.0.1:${port}`).join('');
  const protocols = listeners.map(([name, { protocol }]) => `,${name}:${protocol}`).join('');
  const lines = {
    listeners: `DIRECT://127.0.0.1:${broker},PROXIED://127.0.0.1:${proxied},CONTROLLER://127.0.0.1:${controller}${at}`,
    'advertised.listeners': `DIRECT://127.0.0.1:${broker},PROXIED://127.0.0.1:${proxyPort}${at}`,
    'listener.security.protocol.map': `DIRECT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT${protocols}`,
    ...wishes.settings,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${value.replaceAll('\n', '\\n')}\n`)
    .join('');
}

function properties(
  logs: string,
  [broker, controller, proxied]: readonly [number, number, number],
  proxyPort: number,
): string {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=DIRECT://127.0.0.1:${broker},PROXIED://127.0.0.1:${proxied},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=DIRECT://127.0.0.1:${broker},PROXIED://127.0.0.1:${proxyPort}
listener.security.protocol.map=DIRECT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=DIRECT
controller.listener.names=CONTROLLER
log.dirs=${logs}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
metadata.max.idle.interval.ms=0
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
auto.create.topics.enable=false
message.max.bytes=5242880
log.cleaner.dedupe.buffer.size=16777216
quota.window.num=3
quota.window.size.seconds=1
`;
}
