import { FairTurns, storeInTurns, type DocumentStore } from '@sentinel-node/platform';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import {
  documentStoreContract,
  eventLogContract,
  PENDING_BYTES,
} from '@sentinel-node/test-kit/contract-suites';
import type { LogUnderTest, LogWishes, StoreUnderTest } from '@sentinel-node/test-kit/contract-suites';
import { openDataFolder, openEmbeddedDocumentStore, openEmbeddedEventLog } from '../src/embedded/index.ts';
import type { DataFolder, EmbeddedDocumentStore, EmbeddedEventLog } from '../src/embedded/index.ts';
import { LOG_FILE } from '../src/embedded/log/embedded-event-log.ts';
import { rowKey } from '../src/embedded/log/log-protocol.ts';
import { Sqlite } from '../src/embedded/sqlite.ts';
import type { CollectionSpec } from '../src/ports/document-store.ts';
import type { TopicSpec } from '../src/ports/event-log.ts';

/** Allows for a machine that is busy with other work. */
const FILE_MS = 240_000;
const MIB = 1_048_576;
/** Few, so that the entries of a batched index are entered, and half entered, many times. */
const WAITING = 40;

function onFatal(error: Error): void {
  throw error;
}

function temporaryFolder(t: Test, close: () => Promise<void>): DataFolder {
  const folder = openDataFolder(mkdtempSync(join(tmpdir(), 'sentinel-test-')));
  t.teardown(async () => {
    await close();
    folder.release();
    rmSync(folder.path, { recursive: true });
  });
  return folder;
}

/** Deletes the later records of a topic with one partition from the file, as after a loss on the disk. */
function deleteSecondHalf(folder: DataFolder, topic: string): void {
  const sqlite = new Sqlite(folder.file(LOG_FILE), { cacheBytes: MIB });
  const [slot] = sqlite.statement('SELECT slot FROM slots WHERE topic = ?').first([topic])!;
  const rows = sqlite
    .statement('SELECT k FROM batches WHERE k >= ? AND k < ? ORDER BY k')
    .all([rowKey(Number(slot), 0), rowKey(Number(slot) + 1, 0)]) as [number][];
  for (const [key] of rows.slice(rows.length / 2))
    sqlite.statement('DELETE FROM batches WHERE k = ?').run([BigInt(key)]);
  sqlite.close();
}

async function makeLog(t: Test, topics: readonly TopicSpec[], limits: LogWishes = {}): Promise<LogUnderTest> {
  let log: EmbeddedEventLog | undefined;
  const folder = temporaryFolder(t, async () => log?.close());
  const open = async (specs: readonly TopicSpec[]) => {
    await log?.close();
    log = await openEmbeddedEventLog({ folder, topics: specs, onFatal, limits });
    return log;
  };
  const withholdRecords = async ({ name }: TopicSpec): Promise<void> => deleteSecondHalf(folder, name);
  return { log: await open(topics), reopen: (specs = topics) => open(specs), withholdRecords };
}

async function makeStore(t: Test, collections: readonly CollectionSpec[]): Promise<StoreUnderTest> {
  let store: EmbeddedDocumentStore | undefined;
  const folder = temporaryFolder(t, async () => store?.close());
  const open = async () => {
    await store?.close();
    const limits = { waitingEntries: WAITING, pendingBytes: PENDING_BYTES };
    store = await openEmbeddedDocumentStore({ folder, onFatal, limits });
    await store.ensure(collections);
    return store;
  };
  return { store: await open(), reopen: open };
}

t.setTimeout(FILE_MS);
await eventLogContract(t, 'embedded event log', makeLog);
await documentStoreContract(t, 'embedded document store', makeStore);
await documentStoreContract(t, 'embedded document store, in turns', async (t, collections) => {
  const { store, reopen } = await makeStore(t, collections);
  const turns = new FairTurns({ unit: 'calls', whole: 2, waiting: 1_000, waitMs: 60_000 });
  const inTurns = (one: DocumentStore) => storeInTurns(one, turns, 'one');
  return { store: inTurns(store), reopen: async () => inTurns(await reopen()) };
});
