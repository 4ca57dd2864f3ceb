/** The services apart, each in processes of its own, on Apache Kafka and a server that speaks MongoDB's protocol. */
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
import { SERVICES, ServiceProcess, type ServiceName } from './service-process.ts';
import type { System } from './system.ts';

type Variables = Readonly<Record<string, string>>;
/** How many processes of a service are started; one when it is not named. */
export type Counts = Partial<Record<ServiceName, number>>;

const ALONE: Variables = {
  SENTINEL_SECRET: 'a master secret that only the tests use',
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

/** The same with three brokers. */
export interface ThreeBrokers {
  readonly kafka: KafkaCluster;
  readonly mongo: OwnMongo;
}
/** Servers that somebody named; nobody here can hurt them. */
export interface GivenServers {
  readonly kafka: Pick<SharedKafka, 'brokers'>;
  readonly mongo: Pick<SharedMongo, 'url'>;
}
export type AnyServers = Servers | ThreeBrokers | GivenServers;

/** undefined: a skipped subtest says what is missing. */
export async function startThreeBrokers(t: Test): Promise<ThreeBrokers | undefined> {
  const [kafka, mongo] = await Promise.all([startKafkaCluster(t), startOwnMongo(t)]);
  return kafka && mongo && { kafka, mongo };
}

/** A broker and a store of one test file; undefined: a skipped subtest says what is missing. */
export async function startServers(t: Test): Promise<Servers | undefined> {
  const [kafka, mongo] = await Promise.all([startOwnKafka(t), startOwnMongo(t)]);
  return kafka && mongo && { kafka, mongo };
}

export interface ClusterOptions {
  readonly counts?: Counts;
  readonly env?: Variables;
  readonly preloads?: readonly string[];
  /** Copies of every record; 1 when it is not given. */
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

  /** Of the web server in front. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The n-th process of a service. */
  of(name: ServiceName, n = 0): ServiceProcess {
    const found = this.#processes.filter((one) => one.name === name)[n];
    if (found === undefined) throw new Error(`there is no ${name} ${n}`);
    return found;
  }

  /** One more process, not started yet. */
  add(name: ServiceName, env: Variables = {}, preloads: readonly string[] = []): ServiceProcess {
    const added = new ServiceProcess(this.#t, name, { ...this.#env, ...env }, [
      ...this.#preloads,
      ...preloads,
    ]);
    this.#processes.push(added);
    return added;
  }

  /** Starts what does not run. @returns milliseconds that it took */
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

  /** The last words of every log. */
  said(): string {
    return this.#processes.map((one) => `${one.name}: ${one.said()}`).join('\n');
  }

  /** Runs `sentinel` as an operator of this cluster does. */
  command(...args: string[]): ReturnType<typeof runChild> {
    return runChild(this.#t, [SENTINEL, ...args], this.#env);
  }

  #running(): ServiceProcess[] {
    return this.#processes.filter(({ url }) => url !== undefined);
  }

  /** In turn, of those that run. */
  urlOf(name: string): string | undefined {
    const running = this.#running().filter((one) => one.name === name);
    this.#turn += 1;
    return running[this.#turn % Math.max(1, running.length)]?.url;
  }
}
