/** System of a suite: one process on the embedded store, or separate services in the `cluster-*` files. */
import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';
import { Cluster, startServers, type ClusterOptions, type GivenServers } from './cluster.ts';
import { startedNode } from './node.ts';

type Variables = Readonly<Record<string, string>>;

export interface System {
  readonly url: string;
  /**
   * Returns the address of a service without the web server in front; one process serves all addresses when
   * embedded.
   */
  urlOf(service: string): string | undefined;
  /** Starts the system. @returns the ms that this took */
  start(env?: Variables): Promise<number>;
  stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
  kill(): Promise<unknown>;
  /** Returns the end of the log, for finding a fault. */
  said(): string;
}

/** Longest wait of an entry for a batch in the suites of `SUITE_ENV`, in seconds. */
export const SUITE_INTERVAL_SECONDS = 3;
/** Settings of the suites that can share a system. */
export const SUITE_ENV: Variables = {
  SENTINEL_INTERVAL_MISSION_CRITICAL: String(SUITE_INTERVAL_SECONDS),
  SENTINEL_WEBHOOK_PRIVATE_TARGETS: 'yes',
};

let start: (t: Test, env: Variables) => Promise<System> = startedNode;

/** Starts the suite's system. */
export function startedSystem(t: Test, env: Variables = {}): Promise<System> {
  return start(t, env);
}

/** Makes later suites run on separate services with the given servers. */
export function useServers(servers: GivenServers, options: ClusterOptions): void {
  start = (t, env) => Cluster.start(t, servers, { ...options, env: { ...options.env, ...env } });
}

/**
 * Makes later suites of `SUITE_ENV` run on the same separate services: starting them takes longer than most suites.
 * @returns false after a skipped subtest, without Kafka or MongoDB
 */
export async function useOneCluster(t: Test): Promise<boolean> {
  const servers = await startServers(t);
  if (servers === undefined) return false;
  let cluster: Promise<System> | undefined;
  // A cluster has an address of its own, the same after each start.
  start = (_t, { SENTINEL_PUBLIC_URL: _address, ...env }) => {
    if (!isDeepStrictEqual(env, SUITE_ENV))
      throw new Error('a suite of a shared system has the settings SUITE_ENV');
    return (cluster ??= Cluster.start(t, servers, { env }));
  };
  return true;
}

/**
 * Makes later suites run on separate services. @returns false after a skipped subtest, without Kafka or
 * MongoDB
 */
export async function useCluster(t: Test): Promise<boolean> {
  const servers = await startServers(t);
  if (servers === undefined) return false;
  start = (t, env) => Cluster.start(t, servers, { env });
  return true;
}
