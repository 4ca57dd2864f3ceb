/** The services in separate processes, on Apache Kafka and a server that speaks MongoDB's protocol. */
import {
  startKafkaCluster,
  startOwnKafka,
  startOwnMongo,
  type KafkaCluster,
  type OwnKafka,
  type OwnMongo,
  type SharedKafka,
  type SharedMongo,
} from '@sentinel-node/test-kit/test-servers';
import type { Test } from 'tap';
import { runChild, type Ended } from './child.ts';
import { SENTINEL } from './node.ts';
import { Router } from './router.ts';
import { SECRET } from './secret.ts';
import { SERVICES, ServiceProcess, type ServiceName } from './service-process.ts';
import type { System } from './system.ts';

type Variables = Readonly<Record<string, string>>;
/** Number of processes of each service; default: 1. */
export type Counts = Partial<Record<ServiceName, number>>;

const ALONE: Variables = {
  SENTINEL_SECRET: SECRET,
  SENTINEL_PORT: '0',
  SENTINEL_WALLET: 'dev',
  SENTINEL_MAIL: 'dev',
  SENTINEL_LEDGER: 'dev',
  SENTINEL_LIMIT_USER_CALLS: '100000',
};

export interface Servers {
  readonly kafka: OwnKafka;
  readonly mongo: OwnMongo;
}

/** Servers of one test, with three brokers. */
export interface ThreeBrokers {
  readonly kafka: KafkaCluster;
  readonly mongo: OwnMongo;
}
/** Servers named in the configuration; tests cannot disturb them. */
export interface GivenServers {
  readonly kafka: Pick<SharedKafka, 'brokers'>;
  readonly mongo: Pick<SharedMongo, 'url'>;
}
export type AnyServers = Servers | ThreeBrokers | GivenServers;

/** Starts three brokers and a store; undefined after a skipped subtest with the reason. */
export async function startThreeBrokers(t: Test): Promise<ThreeBrokers | undefined> {
  const [kafka, mongo] = await Promise.all([startKafkaCluster(t), startOwnMongo(t)]);
  return kafka && mongo && { kafka, mongo };
}

/** Starts a broker and a store for one test file; undefined after a skipped subtest with the reason. */
export async function startServers(t: Test): Promise<Servers | undefined> {
  const [kafka, mongo] = await Promise.all([startOwnKafka(t), startOwnMongo(t)]);
  return kafka && mongo && { kafka, mongo };
}

export interface ClusterOptions {
  readonly counts?: Counts;
  readonly env?: Variables;
  readonly preloads?: readonly string[];
  /** Number of copies of every record; default: 1. */
  readonly replicationFactor?: number;
}

export class Cluster<S extends AnyServers = Servers> implements System {
  readonly servers: S;
  readonly #t: Test;
  readonly #preloads: readonly string[];
  readonly #processes: ServiceProcess[] = [];
  #env: Variables;
  #port = 0;
  #turn = 0;

  private constructor(t: Test, servers: S, { env, preloads = [] }: ClusterOptions) {
    this.#t = t;
    this.servers = servers;
    this.#preloads = preloads;
    this.#env = {
      ...ALONE,
      SENTINEL_KAFKA_BROKERS: servers.kafka.brokers,
      SENTINEL_MONGODB_URL: servers.mongo.url,
      ...env,
    };
  }

  /** Makes the topics and starts everything. */
  static async start<S extends AnyServers>(
    t: Test,
    servers: S,
    options: ClusterOptions = {},
  ): Promise<Cluster<S>> {
    const cluster = await Cluster.prepare(t, servers, options);
    await cluster.start();
    return cluster;
  }

  /** Makes the topics; no service runs yet. */
  static async prepare<S extends AnyServers>(
    t: Test,
    servers: S,
    options: ClusterOptions = {},
  ): Promise<Cluster<S>> {
    const cluster = new Cluster(t, servers, options);
    const { port } = await Router.open(t, (service) => cluster.urlOf(service));
    cluster.#port = port;
    cluster.#env = { ...cluster.#env, SENTINEL_PUBLIC_URL: `http://localhost:${port}` };
    const { code, stderr } = await cluster.command(
      'topics',
      '--replication-factor',
      String(options.replicationFactor ?? 1),
    );
    if (code !== 0) throw new Error(`sentinel topics: ${stderr}`);
    for (const name of SERVICES) for (let n = 0; n < (options.counts?.[name] ?? 1); n += 1) cluster.add(name);
    return cluster;
  }

  /** Address of the web server in front. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Returns the n-th process of a service. */
  of(name: ServiceName, n = 0): ServiceProcess {
    const found = this.#processes.filter((one) => one.name === name)[n];
    if (found === undefined) throw new Error(`there is no ${name} ${n}`);
    return found;
  }

  /** Adds a process without starting it. */
  add(name: ServiceName, env: Variables = {}, preloads: readonly string[] = []): ServiceProcess {
    const added = new ServiceProcess(this.#t, name, { ...this.#env, ...env }, [
      ...this.#preloads,
      ...preloads,
    ]);
    this.#processes.push(added);
    return added;
  }

  /** Starts the processes that do not run. @returns the ms that this took */
  async start(env: Variables = {}): Promise<number> {
    const began = performance.now();
    await Promise.all(this.#processes.filter((one) => one.url === undefined).map((one) => one.start(env)));
    return performance.now() - began;
  }

  async stop(): Promise<Ended & { readonly ms: number }> {
    const began = performance.now();
    const ends = await Promise.all(this.#running().map((one) => one.stop()));
    const { code, signal } = ends.find((end) => end.code !== 0) ?? { code: 0, signal: null };
    return { code, signal, ms: performance.now() - began };
  }

  async kill(): Promise<void> {
    await Promise.all(this.#running().map((one) => one.kill()));
  }

  /** Returns the end of every log. */
  said(): string {
    return this.#processes.map((one) => `${one.name}: ${one.said()}`).join('\n');
  }

  /** Runs `sentinel` with the settings of this cluster. */
  command(...args: string[]): ReturnType<typeof runChild> {
    return runChild(this.#t, [SENTINEL, ...args], this.#env);
  }

  #running(): ServiceProcess[] {
    return this.#processes.filter(({ url }) => url !== undefined);
  }

  /** Returns the address of one of the service's running processes, in turn. */
  urlOf(name: string): string | undefined {
    const running = this.#running().filter((one) => one.name === name);
    this.#turn += 1;
    return running[this.#turn % Math.max(1, running.length)]?.url;
  }
}
