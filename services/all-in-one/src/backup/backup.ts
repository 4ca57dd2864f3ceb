import { TOPICS, toHex } from '@sentinel-node/contracts';
import type { Passes } from '../operator/read-counter.ts';
import type { Operation } from '../operator/run.ts';
import { unknownCollections } from '../unknown-collections.ts';
import { assertDecided, assertWhole } from './assert-whole.ts';
import { dumpDocuments, dumpLedger, readUnpublished } from './dump-documents.ts';
import { dumpLog, KEPT_TOPICS, lastBatch, readLogEnds } from './dump-log.ts';
import { emptyFolder, writeManifest, type Manifest } from './manifest.ts';
import { recordsOf } from './records-of.ts';

export interface BackupOptions {
  readonly folder: string;
  /** Whether to write the durable topics as well. */
  readonly withLog: boolean;
  /** Called when the folder was found empty, or made. */
  readonly onEmpty?: () => void;
}

export interface BackedUp {
  /** What is on the disk. */
  readonly manifest: Omit<Manifest, 'format'>;
  /** Collections with documents that this version does not know, of which the backup has nothing. */
  readonly unknown: readonly string[];
}

/** Passes over each topic; the anchors topic is read twice, to find the newest batch. */
const PASSES: Passes = {
  ...Object.fromEntries(KEPT_TOPICS.map(({ name }) => [name, 1])),
  [TOPICS.anchors]: 2,
};

/**
 * Writes the documents that are not views, and the log, while the services run (docs/decisions/017).
 * @throws BackupError
 */
export async function backUp(
  { store, eventLog, counter, logKey, isLive, writeLine }: Operation,
  { folder, withLog, onEmpty }: BackupOptions,
): Promise<BackedUp> {
  await emptyFolder(folder);
  onEmpty?.();
  const madeAt = new Date().toISOString();
  const unpublished = await readUnpublished(store, isLive);
  writeLine('development ledger');
  const ledger = await dumpLedger(store, folder);
  const ends = await readLogEnds(eventLog);
  await counter.plan(withLog ? PASSES : { [TOPICS.anchors]: 1 });
  const partitions = withLog ? await dumpLog(eventLog, ends, folder, writeLine) : [];
  writeLine('documents');
  const documents = await dumpDocuments(store, folder, unpublished, await lastBatch(eventLog, ends));
  const collections = [...ledger, ...documents];
  const manifest = { madeAt, logId: toHex(logKey.logId), collections, ends, partitions };
  // A restore would refuse it: better to know now, while the store can still be looked at.
  assertWhole(manifest);
  await assertDecided(manifest, (topic) => recordsOf(topic, manifest, folder, eventLog));
  const unknown = await unknownCollections(store);
  await writeManifest(folder, manifest, logKey);
  return { manifest, unknown };
}
