/**
 * Real servers for tests. Sources in this order: the environment (`SENTINEL_TEST_KAFKA_BROKERS`,
 * `SENTINEL_TEST_MONGODB_URL`; not for a test's own server) → Docker → the local tool chain → none. Without a server
 * the test is skipped with the reason, or fails if `SENTINEL_TEST_REQUIRE` (comma list) names `kafka` or `mongo`.
 */
import type { Test } from 'tap';
import { prepareLaunch } from './launch.ts';
import { isRequired } from './required.ts';
import { TestServerUnavailableError } from './server.ts';
import type { KafkaSettings, LaunchedNode, ServerKind } from './server.ts';
import { leaseOwn, leaseShared } from './supervisor-client.ts';
import type { Lease } from './supervisor-client.ts';
import { TcpProxy } from './tcp-proxy.ts';

export { ArcServer } from './arc-server.ts';
export type { ArcFault, ArcRequest, ArcServerOptions } from './arc-server.ts';
export { moveLeaders, controllerOf, leadersOf } from './kafka-cluster-admin.ts';
export { newestVersions } from './kafka-inner.ts';
export { plannerOf } from './mongo-planner.ts';
export { setClientQuota } from './kafka-quota.ts';
export type { ClientQuota } from './kafka-quota.ts';
export { TcpProxy } from './tcp-proxy.ts';
export { WebhookReceiver } from './webhook-receiver.ts';
export type { ReceivedMessage, ReceiverBehaviour } from './webhook-receiver.ts';
export { freePorts } from './ports.ts';
export type { KafkaListener, KafkaSettings } from './server.ts';
export { TestServerUnavailableError } from './server.ts';

/** Server that all tests of the machine share: each test names its own topics, groups and databases. */
export interface SharedServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** Server of one test, which may disturb the server. Its addresses never change. */
export interface OwnServer extends SharedServer {
  /** Address of the same server through `proxy`. */
  readonly proxied: string;
  readonly proxy: TcpProxy;
  /** Port of 127.0.0.1 that `proxy` forwards to: a test can put its own proxy between the two. */
  readonly proxyTarget: number;
  /** Kills the server (SIGKILL); its data stay. */
  kill(): Promise<void>;
  /** Stops the server in order; its data stay. */
  halt(): Promise<void>;
  /** Starts the server on the same data; resolves when it answers. */
  restart(): Promise<void>;
}

export type SharedKafka = SharedServer & { readonly brokers: string };
export type OwnKafka = OwnServer & { readonly brokers: string };
/** Three brokers of one test, which may disturb the brokers; `nodes[0]` has the id 1. */
export type KafkaCluster = SharedKafka & { readonly nodes: readonly LaunchedNode[] };
export type SharedMongo = SharedServer & { readonly url: string };
export type OwnMongo = OwnServer & { readonly url: string };

const GIVEN: Readonly<Record<Exclude<ServerKind, 'kafka-cluster'>, string>> = {
  kafka: 'SENTINEL_TEST_KAFKA_BROKERS',
  mongo: 'SENTINEL_TEST_MONGODB_URL',
};

/**
 * Starts Kafka. With `t`, `stop` is its teardown, and undefined means that a skipped subtest gives the reason;
 * without `t`, a missing server throws.
 * @throws TestServerUnavailableError
 */
export function startKafka(t: Test): Promise<SharedKafka | undefined>;
export function startKafka(): Promise<SharedKafka>;
export async function startKafka(t?: Test): Promise<SharedKafka | undefined> {
  const server = await shared('kafka', t);
  return server && { ...server, brokers: server.address };
}

export function startMongo(t: Test): Promise<SharedMongo | undefined>;
export function startMongo(): Promise<SharedMongo>;
export async function startMongo(t?: Test): Promise<SharedMongo | undefined> {
  const server = await shared('mongo', t);
  return server && { ...server, url: server.address };
}

/** `wishes`: listeners by name need ports first (`freePorts`). */
export function startOwnKafka(t: Test, wishes?: KafkaSettings): Promise<OwnKafka | undefined>;
export function startOwnKafka(): Promise<OwnKafka>;
export async function startOwnKafka(t?: Test, wishes?: KafkaSettings): Promise<OwnKafka | undefined> {
  const server = await own('kafka', t, wishes);
  return server && { ...server, brokers: server.address };
}

export function startOwnMongo(t: Test): Promise<OwnMongo | undefined>;
export function startOwnMongo(): Promise<OwnMongo>;
export async function startOwnMongo(t?: Test): Promise<OwnMongo | undefined> {
  const server = await own('mongo', t);
  return server && { ...server, url: server.address };
}

/**
 * Starts a cluster, which stops in the teardown of `t`; undefined means that a skipped subtest gives the reason.
 * @throws TestServerUnavailableError when the tests require Kafka (`SENTINEL_TEST_REQUIRE`)
 */
export async function startKafkaCluster(t: Test): Promise<KafkaCluster | undefined> {
  const lease = await orSkip('kafka-cluster', t, () => leaseOwn('kafka-cluster'));
  if (lease === undefined) return undefined;
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= lease.command({ op: 'stop' }).then(() => lease.release()));
  t.teardown(stop);
  const { address } = lease.running;
  const nodes = Array.from({ length: lease.running.nodes }, (_, node) => ({
    kill: () => lease.command({ op: 'kill', node }),
    halt: () => lease.command({ op: 'halt', node }),
    restart: () => lease.command({ op: 'restart', node }),
    freeze: () => lease.command({ op: 'freeze', node }),
    thaw: () => lease.command({ op: 'thaw', node }),
  }));
  return { address, brokers: address, nodes, stop };
}

/**
 * Downloads the server's parts in advance, so that no test waits for them. Resolves with the source of the server, or
 * why there is none.
 */
export async function prepareTestServer(
  kind: keyof typeof GIVEN,
): Promise<{ from?: string; missing?: string }> {
  if (process.env[GIVEN[kind]]) return { from: GIVEN[kind] };
  try {
    return { from: await prepareLaunch(kind) };
  } catch (error) {
    if (!(error instanceof TestServerUnavailableError)) throw error;
    return { missing: error.message };
  }
}

async function shared(kind: keyof typeof GIVEN, t: Test | undefined): Promise<SharedServer | undefined> {
  const given = process.env[GIVEN[kind]];
  if (given) return { address: given, stop: () => Promise.resolve() };
  const lease = await orSkip(kind, t, () => leaseShared(kind));
  if (lease === undefined) return undefined;
  t?.teardown(() => lease.release());
  return { address: lease.running.address, stop: () => lease.release() };
}

async function own(
  kind: keyof typeof GIVEN,
  t: Test | undefined,
  kafka?: KafkaSettings,
): Promise<OwnServer | undefined> {
  const proxy = await TcpProxy.open();
  const lease = await orSkip(kind, t, () => leaseOwn(kind, proxy.port, kafka));
  if (lease === undefined) {
    await proxy.close();
    return undefined;
  }
  proxy.forwardTo(lease.running.proxyTarget);
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      await proxy.close();
      await lease.command({ op: 'stop' });
      await lease.release();
    })());
  t?.teardown(stop);
  return {
    address: lease.running.address,
    proxied: lease.running.proxied ?? lease.running.address,
    proxy,
    proxyTarget: lease.running.proxyTarget,
    kill: () => lease.command({ op: 'kill' }),
    halt: () => lease.command({ op: 'halt' }),
    restart: () => lease.command({ op: 'restart' }),
    stop,
  };
}

async function orSkip(
  kind: ServerKind,
  t: Test | undefined,
  lease: () => Promise<Lease>,
): Promise<Lease | undefined> {
  try {
    return await lease();
  } catch (error) {
    if (
      !(error instanceof TestServerUnavailableError) ||
      isRequired(kind === 'mongo' ? 'mongo' : 'kafka') ||
      t === undefined
    )
      throw error;
    await t.test(kind, { skip: error.message }, () => undefined);
    return undefined;
  }
}
export { SyslogReceiver, type SyslogBehaviour } from './syslog-receiver.ts';
