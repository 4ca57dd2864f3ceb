import type { Db } from 'mongodb';
import type { Log } from '../logging/log.ts';
import { makeIndexes, missingIndexes } from './indexes.ts';
import type { CollectionLayout } from './layout.ts';
import { confirmShardKey } from './shards.ts';
import type { Topology } from './topology.ts';

/** Milliseconds between two log lines while indexes are built. */
const TELL_EVERY_MS = 10_000;
const MS_PER_SECOND = 1_000;

interface Place {
  readonly db: Db;
  readonly topology: Topology;
  readonly log: Log;
}

/**
 * Creates the collection and its indexes, and resolves when the indexes can be used.
 * @param patient the same database on a connection that waits as long as building an index takes
 * @throws IndexChangedError, ShardKeyError
 */
export async function ensureCollection(
  { db, topology, log }: Place,
  patient: Db,
  layout: CollectionLayout,
): Promise<void> {
  if (topology === 'sharded') await confirmShardKey(db, layout.spec);
  const missing = await missingIndexes(db, layout);
  const began = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / MS_PER_SECOND);
    log.info({ collection: layout.name, seconds }, 'indexes are being made');
  }, TELL_EVERY_MS);
  try {
    await makeIndexes(patient, layout, missing, topology);
  } finally {
    clearInterval(timer);
  }
}
