/** What a suite runs on: one process on the embedded store, or, in the `cluster-*` files, the services apart. */
import type { Test } from 'tap';
import { Cluster, startServers, type ClusterOptions, type GivenServers } from './cluster.ts';
import { startedNode } from './node.ts';

type Variables = Readonly<Record<string, string>>;

export interface System {
  readonly url: string;
  /** Where a service listens, past the web server in front; the one process answers for each. */
  urlOf(service: string): string | undefined;
  /** @returns milliseconds that it took */
  start(env?: Variables): Promise<number>;
  stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
  kill(): Promise<unknown>;
  /** The last words of its log, for a person who looks for what went wrong. */
  said(): string;
}

let start: (t: Test, env: Variables) => Promise<System> = startedNode;

/** The system that a suite begins with. */
export function startedSystem(t: Test, env: Variables = {}): Promise<System> {
  return start(t, env);
}

/** From here on suites run on the services apart, on servers that are there. */
export function useServers(servers: GivenServers, options: ClusterOptions): void {
  start = (t, env) => Cluster.start(t, servers, { ...options, env: { ...options.env, ...env } });
}

/** From here on suites run on the services apart. False when there is no Kafka or no MongoDB here: a subtest says so. */
export async function useCluster(t: Test): Promise<boolean> {
  const servers = await startServers(t);
  if (servers === undefined) return false;
  start = (t, env) => Cluster.start(t, servers, { env });
  return true;
}
