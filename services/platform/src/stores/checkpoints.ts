import { inspect } from 'node:util';
import { CONSUMED, GROUPS } from '@sentinel-node/contracts';
import type { CollectionSpec, CollectionWrite, DocumentStore, Stored } from '../ports/document-store.ts';
import { LogStartLostError, PortError } from '../ports/errors.ts';
import type { EventLog, RecordBatch } from '../ports/event-log.ts';
import { CLUSTER_TOPICS } from '../topology.ts';

/**
 * Checkpoints of groups. Id: group/topic/partition; `rev`: the next offset. The store holds the results of all
 * records before that offset. Written before the group commits, so that a checkpoint is never behind the commit,
 * unless the store was restored to an earlier state; the verifier's may be behind by `MAX_CHECKPOINT_LAG` records.
 */
export const CHECKPOINTS_COLLECTION: CollectionSpec = { name: 'checkpoints', indexes: [] };

/** Only topics that keep all records: offsets of a compacted topic may point to removed records. */
const CHECKPOINTED = CONSUMED.filter(({ topic }) =>
  CLUSTER_TOPICS.some(({ name, retention }) => name === topic && retention === 'forever'),
);

const MAX_PARTITIONS = 10_000;

/** The most records between the verifier's checkpoint and its commit; it judges them again before it goes on. */
export const MAX_CHECKPOINT_LAG = 10_000;

export interface GroupPosition {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
}

/** A group has committed records that this store never saw, so their results would be missing for ever. */
export class StoreIsOlderError extends PortError {
  constructor({ group, partition, topic }: GroupPosition, committed: number, known: number) {
    super(
      'STORE_IS_OLDER',
      `the document store is older than the log: ${group} has finished ${topic} partition ${partition} up to offset ${committed}, of which the store has what follows up to ${known}. Was it put back from a snapshot? Stop all services, and restore both from one moment`,
    );
  }
}

/** The store holds results of records that this log does not have. */
export class LogIsOlderError extends PortError {
  constructor({ partition, topic }: GroupPosition, end: number, known: number) {
    super(
      'LOG_IS_OLDER',
      `the log is older than the document store: ${topic} partition ${partition} ends at offset ${end}, the store has what follows up to ${known}. Was it put back, or did it lose its end? Stop all services, and restore both from one moment`,
    );
  }
}

/** A group has finished records that neither the log nor the store has: somebody moved its positions, or put both back. */
export class GroupMovedError extends PortError {
  constructor({ group, partition, topic }: GroupPosition, committed: number, end: number) {
    super(
      'GROUP_MOVED',
      `the positions of the group ${group} are not those of the log and the store: it has finished ${topic} partition ${partition} up to offset ${committed}, the log ends at offset ${end}, and the store has nothing of what would follow. Did somebody move them, or put back log and store without them? Stop all services; if log and store are the newest that there are, delete the group (kafka-consumer-groups.sh --delete --group ${group}): its records are taken again, to the same result`,
    );
  }
}

/** A checkpoint has no position: what follows from which records is not known, and each comparison with it would pass. */
export class CheckpointUnusableError extends PortError {
  constructor(id: string, rev: unknown) {
    super(
      'CHECKPOINT_UNUSABLE',
      `the checkpoint ${id} of the collection ${CHECKPOINTS_COLLECTION.name} has no position but ${inspect(rev)}: somebody wrote to the database. Stop all services, find out who, and restore the newest backup whose audit is good`,
    );
  }
}

/** Returns the last batch of `writeBatches` for a batch of records; it is durable before the group commits. */
export function checkpointBatch(
  group: string,
  { partition, records, topic }: RecordBatch,
): readonly CollectionWrite[] {
  if (!CHECKPOINTED.some((one) => one.group === group && one.topic === topic)) return [];
  return checkpointAt({ group, topic, partition }, records.at(-1)!.offset + 1);
}

/** Returns the write of a checkpoint; the results of all records before `next` must be durable. */
export function checkpointAt(position: GroupPosition, next: number): readonly CollectionWrite[] {
  const document = { id: idOf(position), rev: next };
  return [{ collection: CHECKPOINTS_COLLECTION.name, mode: 'upsert', documents: [document] }];
}

/** Returns the next offset of a checkpoint; 0 when there is none. @throws CheckpointUnusableError */
export async function loadCheckpoint(
  store: Pick<DocumentStore, 'getMany'>,
  position: GroupPosition,
): Promise<number> {
  const found = await store.getMany(CHECKPOINTS_COLLECTION.name, [idOf(position)]);
  return nextById(found).get(idOf(position)) ?? 0;
}

/** Returns whether the store holds results of records that the group has finished. */
export async function hasCheckpoint(store: Pick<DocumentStore, 'find'>, group: string): Promise<boolean> {
  const where = { id: { prefix: `${group}/` } };
  return (await store.find(CHECKPOINTS_COLLECTION.name, { where, limit: 1 })).length > 0;
}

/** The next offset of a partition. */
export interface PartitionEnd {
  readonly partition: number;
  readonly end: number;
}

/** Returns the ends of the topic's partitions that have records. */
export async function endsOf(eventLog: Pick<EventLog, 'bounds'>, topic: string): Promise<PartitionEnd[]> {
  return (await eventLog.bounds(topic)).filter(({ start, end }) => end > start);
}

/** Returns whether the store holds the group's results of all records before these ends. */
export async function hasReached(
  store: Pick<DocumentStore, 'getMany'>,
  { group, topic }: Omit<GroupPosition, 'partition'>,
  ends: readonly PartitionEnd[],
): Promise<boolean> {
  if (ends.length === 0) return true;
  const ids = ends.map(({ partition }) => idOf({ group, topic, partition }));
  const found = await store.getMany(CHECKPOINTS_COLLECTION.name, ids);
  const next = nextById(found);
  return ends.every(({ end }, n) => (next.get(ids[n]!) ?? 0) >= end);
}

/**
 * Compares the positions of the groups in the store and in the log; services may be running meanwhile.
 * @throws CheckpointUnusableError, GroupMovedError, StoreIsOlderError, LogIsOlderError, LogStartLostError
 */
export async function confirmCheckpoints(store: DocumentStore, eventLog: EventLog): Promise<void> {
  await store.ensure([CHECKPOINTS_COLLECTION]);
  for (const consumed of CONSUMED) {
    const { group, topic } = consumed;
    const lag = group === GROUPS.verifier ? MAX_CHECKPOINT_LAG : 0;
    // Later reads return later positions: a commit follows its checkpoint, and a checkpoint follows its records.
    const committed = await eventLog.committed(topic, group);
    const isCheckpointed = CHECKPOINTED.includes(consumed);
    const known = isCheckpointed ? await checkpointsOf(store, group, topic) : undefined;
    const bounds = await eventLog.bounds(topic);
    for (const { partition, start, end } of bounds) {
      const place = { group, topic, partition };
      const finished = committed.get(partition) ?? 0;
      // Of a compacted topic the log alone has a position: its end never goes back either.
      const next = known === undefined ? finished : (known.get(idOf(place)) ?? 0);
      // The verifier's checkpoint may be behind, so that this is a log that lost its end.
      const isCheckpointAhead = known !== undefined && lag === 0;
      if (isCheckpointAhead && finished > end && next <= end) throw new GroupMovedError(place, finished, end);
      if (finished > next + lag) throw new StoreIsOlderError(place, finished, next);
      const used = Math.max(next, finished);
      if (used > end) throw new LogIsOlderError(place, end, used);
      // The verifier judges the records after its checkpoint again; a group without a position begins at 0.
      const needed = Math.min(next, finished);
      if (isCheckpointed && needed < start)
        throw LogStartLostError.before({ topic, partition, start }, group, needed);
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
  return nextById(found);
}

/** Returns the next offset of each checkpoint. @throws CheckpointUnusableError */
function nextById(checkpoints: readonly Stored[]): ReadonlyMap<string, number> {
  return new Map(
    checkpoints.map(({ id, rev = 0 }) => {
      if (!Number.isSafeInteger(rev) || rev < 0) throw new CheckpointUnusableError(id, rev);
      return [id, rev];
    }),
  );
}

function idOf({ group, partition, topic }: GroupPosition): string {
  return `${group}/${topic}/${partition}`;
}
