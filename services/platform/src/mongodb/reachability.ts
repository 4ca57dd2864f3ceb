import type { MongoClient, TopologyDescription } from 'mongodb';
import type { Log } from '../logging/log.ts';

const WRITABLE: readonly string[] = ['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'];

/** Follows the results of the driver's monitors. */
export class Reachability {
  #reachable = false;

  constructor(client: MongoClient, log: Log) {
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      const reachable = isWritable(newDescription);
      if (reachable === this.#reachable) return;
      this.#reachable = reachable;
      if (reachable) log.info('the document store is reached');
      else log.warn({ error: newDescription.error?.message }, 'the document store is out of reach');
    });
  }

  /** Returns whether a server that accepts writes answered the last heartbeat. */
  get now(): boolean {
    return this.#reachable;
  }
}

function isWritable({ servers }: TopologyDescription): boolean {
  return [...servers.values()].some(({ type }) => WRITABLE.includes(type));
}
