import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { documentStoreContract, eventLogContract } from '../src/contract-suites/index.ts';
import type { LogUnderTest, LogWishes, StoreUnderTest } from '../src/contract-suites/index.ts';
import { openDataFolder, openEmbeddedDocumentStore, openEmbeddedEventLog } from '../src/embedded/index.ts';
import type { DataFolder, EmbeddedDocumentStore, EmbeddedEventLog } from '../src/embedded/index.ts';
import type { CollectionSpec } from '../src/ports/document-store.ts';
import type { TopicSpec } from '../src/ports/event-log.ts';

/** On a machine that does much else. */
const FILE_MS = 240_000;

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

async function makeLog(t: Test, topics: readonly TopicSpec[], limits: LogWishes = {}): Promise<LogUnderTest> {
  let log: EmbeddedEventLog | undefined;
  const folder = temporaryFolder(t, async () => log?.close());
  const open = async (specs: readonly TopicSpec[]) => {
    await log?.close();
    log = await openEmbeddedEventLog({ folder, topics: specs, onFatal, limits });
    return log;
  };
  return { log: await open(topics), reopen: (specs = topics) => open(specs) };
}

async function makeStore(t: Test, collections: readonly CollectionSpec[]): Promise<StoreUnderTest> {
  let store: EmbeddedDocumentStore | undefined;
  const folder = temporaryFolder(t, async () => store?.close());
  const open = async () => {
    await store?.close();
    store = await openEmbeddedDocumentStore({ folder, onFatal });
    await store.ensure(collections);
    return store;
  };
  return { store: await open(), reopen: open };
}

t.setTimeout(FILE_MS);
await eventLogContract(t, 'embedded event log', makeLog);
await documentStoreContract(t, 'embedded document store', makeStore);
