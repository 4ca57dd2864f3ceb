/** System of a suite: one process on the embedded store, or separate services in the `cluster-*` files. */
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
 * Makes later suites run on separate services. @returns false after a skipped subtest, without Kafka or
 * MongoDB
 */
export async function useCluster(t: Test): Promise<boolean> {
  const servers = await startServers(t);
  if (servers === undefined) return false;
  start = (t, env) => Cluster.start(t, servers, { env });
  return true;
}
