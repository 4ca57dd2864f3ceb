import { toHex } from '@sentinel-node/contracts';
import type { Operation } from '../operator/run.ts';
import { dumpDocuments, dumpLedger, unpublishedNow } from './dump-documents.ts';
import { dumpLog, lastBatch, takeEnds } from './dump-log.ts';
import { emptyFolder, writeManifest, type Manifest } from './manifest.ts';

export interface BackupOptions {
  readonly folder: string;
  /** The durable topics too. */
  readonly withLog: boolean;
}

/**
 * Writes what is not a view, and the log, while the services go on (docs/decisions/016). @throws BackupError
 * @returns the manifest, which is on the disk
 */
export async function backUp(
  { store, eventLog, logKey, isLive, tell }: Operation,
  { folder, withLog }: BackupOptions,
): Promise<Omit<Manifest, 'format'>> {
  await emptyFolder(folder);
  const madeAt = new Date().toISOString();
  const unpublished = await unpublishedNow(store, isLive);
  tell('development ledger');
  const ledger = await dumpLedger(store, folder);
  const ends = await takeEnds(eventLog);
  const partitions = withLog ? await dumpLog(eventLog, ends, folder, tell) : [];
  tell('documents');
  const documents = await dumpDocuments(store, folder, unpublished, await lastBatch(eventLog, ends));
  const collections = [...ledger, ...documents];
  const manifest = { madeAt, logId: toHex(logKey.logId), collections, ends, partitions };
  await writeManifest(folder, manifest);
  return manifest;
}
