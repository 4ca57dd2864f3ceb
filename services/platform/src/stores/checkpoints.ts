import { CONSUMED } from '@sentinel-node/contracts';
import type { CollectionSpec, CollectionWrite, DocumentStore } from '../ports/document-store.ts';
import { PortError } from '../ports/errors.ts';
import type { EventLog, RecordBatch } from '../ports/event-log.ts';
import { CLUSTER_TOPICS } from '../topology.ts';

/**
 * Id: group/topic/partition; `rev`: the next offset. What follows from the records before it is in the store. Written
 * before the group commits, so that it is never behind what is committed, unless the store was put back.
 */
export const CHECKPOINTS_COLLECTION: CollectionSpec = { name: 'checkpoints', indexes: [] };

/** Offsets of a compacted topic tell nothing: what they named may be gone. */
const CHECKPOINTED = CONSUMED.filter(({ topic }) =>
  CLUSTER_TOPICS.some(({ name, retention }) => name === topic && retention === 'forever'),
);

const MAX_PARTITIONS = 10_000;

interface GroupPosition {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
}

/** The group goes on after records that this store never saw: what follows from them would be missing for ever. */
export class StoreIsOlderError extends PortError {
  constructor({ group, partition, topic }: GroupPosition, committed: number, known: number) {
    super(
      'STORE_IS_OLDER',
      `the document store is older than the log: ${group} has finished ${topic} partition ${partition} up to offset ${committed}, of which the store has what follows up to ${known}. Was it put back from a snapshot? Stop all services, and restore both from one moment`,
    );
  }
}

/** The store holds what follows from records that this log does not have. */
export class LogIsOlderError extends PortError {
  constructor({ partition, topic }: GroupPosition, end: number, known: number) {
    super(
      'LOG_IS_OLDER',
      `the log is older than the document store: ${topic} partition ${partition} ends at offset ${end}, the store has what follows up to ${known}. Was it put back, or did it lose its end? Stop all services, and restore both from one moment`,
    );
  }
}

/** The last batch of `writeBatches` for a batch of records; durable before the group commits. */
export function checkpointBatch(
  group: string,
  { partition, records, topic }: RecordBatch,
): readonly CollectionWrite[] {
  if (!CHECKPOINTED.some((one) => one.group === group && one.topic === topic)) return [];
  const document = { id: idOf({ group, topic, partition }), rev: records.at(-1)!.offset + 1 };
  return [{ collection: CHECKPOINTS_COLLECTION.name, mode: 'upsert', documents: [document] }];
}

/**
 * Compares how far the groups are by the store and by the log; services may be at work meanwhile.
 * @throws StoreIsOlderError, LogIsOlderError
 */
export async function confirmCheckpoints(store: DocumentStore, eventLog: EventLog): Promise<void> {
  await store.ensure([CHECKPOINTS_COLLECTION]);
  for (const { group, topic } of CHECKPOINTED) {
    // What is read later is further on: a commit comes after its checkpoint, a checkpoint after its records.
    const committed = await eventLog.committed(topic, group);
    const known = await checkpointsOf(store, group, topic);
    const bounds = await eventLog.bounds(topic);
    for (const { partition, end } of bounds) {
      const place = { group, topic, partition };
      const next = known.get(idOf(place)) ?? 0;
      const finished = committed.get(partition) ?? 0;
      if (finished > next) throw new StoreIsOlderError(place, finished, next);
      if (next > end) throw new LogIsOlderError(place, end, next);
    }
  }
}

async function checkpointsOf(
  store: DocumentStore,
  group: string,
  topic: string,
): Promise<ReadonlyMap<string, number>> {
  const where = { id: { prefix: `${group}/${topic}/` } };
  const found = await store.find(CHECKPOINTS_COLLECTION.name, { where, limit: MAX_PARTITIONS });
  return new Map(found.map(({ id, rev = 0 }) => [id, rev]));
}

function idOf({ group, partition, topic }: GroupPosition): string {
  return `${group}/${topic}/${partition}`;
}
