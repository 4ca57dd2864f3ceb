import { join } from 'node:path';
import { resendToLedger, restoreDerived } from '@sentinel-node/anchoring';
import { CONSUMED, toHex } from '@sentinel-node/contracts';
import {
  beginRestore,
  confirmLogKey,
  confirmRestored,
  endRestore,
  systemClock,
  systemTimers,
  type Document,
  type DocumentStore,
  type EventLog,
} from '@sentinel-node/platform';
import { createDevLedger } from '@sentinel-node/platform/ledger';
import { catchUp } from '../audit/catch-up.ts';
import { CLOCKS_APART_MS } from '../operator/clocks-apart.ts';
import type { Operation } from '../operator/run.ts';
import { assertDecided, assertWhole } from './assert-whole.ts';
import { DECIDED, KEPT_VIEWS } from './dump-documents.ts';
import { readLogEnds } from './dump-log.ts';
import { BackupError } from './errors.ts';
import { readLines } from './line-file.ts';
import { loadLog } from './load-log.ts';
import type { Manifest } from './manifest.ts';
import { recordsOf } from './records-of.ts';
import { isSigned } from './signature.ts';
import { withoutRepeats } from './without-repeats.ts';

/** Documents per write. */
const PAGE_DOCUMENTS = 500;

export interface Restored {
  /** Whether the backup has the signature of the log's key, which holds then. */
  readonly isSigned: boolean;
  /** Collections of which the backup has nothing, though it may have had something. */
  readonly lacking: readonly string[];
}

/**
 * Restores a backup into empty stores, then makes all derived data. No service may run meanwhile.
 * @param manifest of the folder, checked @param onEmpty called when the stores were found empty
 * @throws BackupError, RestoreUnfinishedError
 */
export async function restore(
  operation: Operation,
  folder: string,
  manifest: Manifest,
  onEmpty: () => void,
): Promise<Restored> {
  const { store, eventLog, isLive, logKey, log, writeLine } = operation;
  await confirmRestored(store);
  await assertEmptyStore(store);
  onEmpty();
  if (manifest.logId !== toHex(logKey.logId))
    throw new BackupError(
      `this backup is of the log ${manifest.logId.slice(0, 16)}…, the master secret here gives ${toHex(logKey.logId).slice(0, 16)}…: give the backup's, as SENTINEL_SECRET or, on the embedded store, as the file master-secret in the data folder`,
    );
  const isAsSigned = await isSigned(folder, manifest, logKey);
  assertKnown(manifest);
  assertWhole(manifest);
  await assertFitting(eventLog, manifest);
  await assertDecided(manifest, (topic) => recordsOf(topic, manifest, folder, eventLog));
  await beginRestore(store);
  await confirmLogKey(store, logKey);
  if (manifest.partitions.length > 0) await loadLog(eventLog, manifest, folder, writeLine);
  await loadDocuments(store, manifest, folder, writeLine);
  await catchUpLedger(store, manifest, writeLine);
  writeLine('making what follows from the log: anchored heads');
  await restoreDerived(store, eventLog);
  writeLine('making what follows from the log: verdicts and views');
  await catchUp({
    ...{ eventLog: await withoutRepeats(eventLog), store, logId: logKey.logId, log, writeLine },
    // Kafka and MongoDB may be away for a moment, and have nothing to say of their disks.
    notReady: () => (isLive ? [] : operation.notReady()),
  });
  await loadKeptViews(store, manifest, folder);
  await endRestore(store);
  const held = new Set(manifest.collections.filter(({ lines }) => lines > 0).map(({ name }) => name));
  const lacking = DECIDED.map(({ name }) => name).filter((name) => !held.has(name));
  return { isSigned: isAsSigned, lacking };
}

/**
 * Checks that all collections are empty; empty ones may exist, because services and commands make them at their start.
 * @throws BackupError
 */
async function assertEmptyStore(store: DocumentStore): Promise<void> {
  for (const name of await store.collections()) {
    await store.ensure([{ name, indexes: [] }]);
    const found = await store.find(name, { limit: 1 });
    // `confirmLogKey` compares a recorded key, as at any start.
    if (found.length > 0 && name !== 'deployment')
      throw new BackupError(`the document store is not empty: ${name} holds documents`);
  }
}

/** Checks that this version knows what the backup holds; what it does not know would be lost. @throws BackupError */
function assertKnown({ collections }: Manifest): void {
  const unknown = collections.find(
    ({ lines, name }) => lines > 0 && !isKeptView(name) && !DECIDED.some((spec) => spec.name === name),
  );
  if (unknown !== undefined)
    throw new BackupError(
      `the backup holds the collection ${unknown.name}, which this version does not know: restore with the version that made it`,
    );
}

/** Checks that the log suits the manifest. @throws BackupError */
async function assertFitting(eventLog: EventLog, manifest: Manifest): Promise<void> {
  const found = await readLogEnds(eventLog);
  for (const { topic, ends } of manifest.ends) {
    const here = found.find((one) => one.topic === topic)?.ends ?? [];
    if (here.length !== ends.length)
      throw new BackupError(
        `${topic} has ${here.length} partitions here and ${ends.length} in the backup; a record belongs to its partition`,
      );
    const wanted = manifest.partitions.length > 0 ? ends.map(() => 0) : ends;
    const at = here.findIndex((end, partition) => end !== wanted[partition]);
    if (at < 0) continue;
    throw new BackupError(
      manifest.partitions.length > 0
        ? `the log is not empty: ${topic} partition ${at} holds ${here[at]} records`
        : `the backup has no log, and the one here is another: ${topic} partition ${at} ends at ${here[at]}, not at ${wanted[at]}`,
    );
  }
  const named = new Set(manifest.ends.map(({ topic }) => topic));
  const other = found.find(({ topic, ends }) => !named.has(topic) && ends.some((end) => end > 0));
  if (other !== undefined)
    throw new BackupError(
      `the log is not empty: ${other.topic} holds records, and the backup names none of it`,
    );
  for (const { group, topic } of CONSUMED) {
    if ((await eventLog.committed(topic, group)).size > 0)
      throw new BackupError(`the consumer group ${group} has positions in ${topic}: delete the group first`);
  }
}

async function loadDocuments(
  store: DocumentStore,
  manifest: Manifest,
  folder: string,
  writeLine: (line: string) => void,
): Promise<void> {
  await store.ensure(DECIDED);
  const own = manifest.collections.filter(({ name, lines }) => lines > 0 && !isKeptView(name));
  for (const { name, file, lines } of own) {
    let inserted = 0;
    for await (const page of pagesOf(join(folder, file)))
      inserted += (await store.insertMissing(name, page)).length;
    if (inserted !== lines) throw new BackupError(`${name}: ${lines} lines gave ${inserted} documents`);
    writeLine(`${name}: ${inserted} documents`);
  }
}

const isKeptView = (name: string): boolean => KEPT_VIEWS.some((view) => view === name);

/** Writes what a view had beyond the log, of documents that the log gives: the backup may have later ones than its log. */
async function loadKeptViews(store: DocumentStore, manifest: Manifest, folder: string): Promise<void> {
  for (const { name, file } of manifest.collections.filter((one) => isKeptView(one.name)))
    for await (const page of pagesOf(join(folder, file))) {
      const given = await store.getMany(
        name,
        page.map(({ id }) => id),
      );
      const ids = new Set(given.map(({ id }) => id));
      const kept = page
        .filter(({ id }) => ids.has(id))
        .map((document) => ({ ...document, rev: document.rev! }));
      await store.bulkUpsert(name, kept);
    }
}

/** Brings the development ledger, which a backup of a working system has as of an earlier moment, up to the transactions. */
async function catchUpLedger(
  store: DocumentStore,
  { madeAt }: Manifest,
  writeLine: (line: string) => void,
): Promise<void> {
  const ledger = createDevLedger({ store, clock: systemClock, timers: systemTimers });
  await ledger.start();
  try {
    const sent = await resendToLedger(store, ledger, Date.parse(madeAt) - CLOCKS_APART_MS);
    if (sent > 0) writeLine(`development ledger: ${sent} later transactions sent again`);
  } finally {
    await ledger.stop();
  }
}

async function* pagesOf(path: string): AsyncGenerator<Document[]> {
  let page: Document[] = [];
  for await (const line of readLines(path)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a line that `dump-documents` wrote; the manifest's hash says so
    if (page.push(line as Document) < PAGE_DOCUMENTS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
