/** All that a service keeps: documents of every collection, and decoded records of the registry. */
import { decodeFileEvent, TOPICS } from '@sentinel-node/contracts';
import { CLAIMS_COLLECTION, STREAMS_COLLECTION, type EventLog } from '@sentinel-node/platform';
import { QUERY_COLLECTIONS } from '../src/collections.ts';
import { VIEW_COLLECTIONS } from '../src/views/index.ts';
import type { World } from './world.ts';

/** Returns the decoded records of a topic of JSON. */
export async function recordsOf(log: EventLog, topic: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { partition } of await log.bounds(topic))
    for await (const { records } of log.read(topic, partition, 0))
      found.push(...records.map(({ body }) => decodeFileEvent(body).header));
  return found;
}

export async function allKept({ store, eventLog }: Pick<World, 'store' | 'eventLog'>): Promise<string> {
  const names = [
    ...VIEW_COLLECTIONS.map(({ name }) => name),
    ...QUERY_COLLECTIONS.map(({ spec }) => spec.name),
    STREAMS_COLLECTION.name,
    CLAIMS_COLLECTION.name,
  ];
  const found: unknown[] = await recordsOf(eventLog, TOPICS.registry);
  for (const name of names) {
    const anyName: string = name;
    for await (const page of store.scan(anyName)) found.push(...page);
  }
  return JSON.stringify(found);
}
