/**
 * Writes the decisions that only the store contains, one file per collection, consistent with the log up to earlier
 * positions.
 */
import { join } from 'node:path';
import { batchId, OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import { LIMITS } from '@sentinel-node/contracts';
import {
  CLAIMS_COLLECTION,
  leftovers,
  STREAMS_COLLECTION,
  type CollectionSpec,
  type Document,
  type DocumentStore,
} from '@sentinel-node/platform';
import { DEV_LEDGER_COLLECTIONS } from '@sentinel-node/platform/ledger';
import { RESERVATIONS_COLLECTION, VIEW_COLLECTIONS, VIEWS, type ViewName } from '@sentinel-node/query';
import { NOT_VIEWS } from '../not-views.ts';
import { CLOCKS_APART_MS } from '../operator/clocks-apart.ts';
import { BackupError } from './errors.ts';
import { LineWriter } from './line-file.ts';
import type { Manifest } from './manifest.ts';

const { cuts, operations, transactions } = OWN_COLLECTIONS;
/** Collections whose documents are published to the log. Cuts are published too, but only published cuts are dumped. */
const OUTBOXES: readonly CollectionSpec[] = [STREAMS_COLLECTION, CLAIMS_COLLECTION, transactions, operations];

/** Collections in dump order: commits first, because a name is taken, or a link sent, before its commit. */
export const DECIDED: readonly CollectionSpec[] = NOT_VIEWS.filter(
  ({ keeping }) => keeping === 'decided',
).map(({ spec }) => spec);

/**
 * Views of which the log does not give everything: it keeps the newest heartbeat of a device, which is rarely the first contact. A
 * restore keeps what they have beyond the log.
 */
export const KEPT_VIEWS: readonly ViewName[] = [VIEWS.deviceFirstContacts];

const LEDGER: readonly CollectionSpec[] = Object.values(DEV_LEDGER_COLLECTIONS);

/**
 * Documents that may be missing on the log when its positions are taken. They are published again, which is harmless.
 */
export interface Unpublished {
  readonly ids: ReadonlySet<string>;
  /** Milliseconds since the Unix epoch; documents decided later may be missing too. */
  readonly since: number;
}

/**
 * Returns the documents that may be unpublished now.
 * @throws BackupError when the log has accepted none for a long time
 */
export async function readUnpublished(store: DocumentStore, isLive: boolean): Promise<Unpublished> {
  const since = isLive ? Date.now() - CLOCKS_APART_MS : Infinity;
  await store.ensure(DECIDED);
  const ids = new Set<string>();
  for (const { name } of OUTBOXES) {
    const query = { ...leftovers(Number.MAX_SAFE_INTEGER), limit: LIMITS.findDocuments };
    const found = await store.find(name, query);
    if (found.length === LIMITS.findDocuments)
      throw new BackupError(`${name} holds ${found.length} documents that are not on the log yet`);
    for (const { id } of found) ids.add(id);
  }
  return { ids, since };
}

/**
 * Writes the development ledger before the ends of the log are taken, so that the ledger has no transaction of a batch
 * beyond these ends. A restore makes that batch again, and the ledger would refuse its new transaction for ever as a
 * double spend. The ledger may lack transactions of anchoring and their blocks: a restore sends them again unchanged.
 */
export async function dumpLedger(store: DocumentStore, folder: string): Promise<Manifest['collections']> {
  const files: Manifest['collections'] = [];
  for (const { name } of LEDGER)
    files.push(...(await dumpCollection(store, folder, name, (document) => document)));
  return files;
}

/**
 * Writes the other decisions.
 * @param lastBatch omits later cuts and transactions, which the log lacks and which are made again
 */
export async function dumpDocuments(
  store: DocumentStore,
  folder: string,
  { ids, since }: Unpublished,
  lastBatch: number,
): Promise<Manifest['collections']> {
  const last = batchId(Math.max(0, lastBatch));
  const files: Manifest['collections'] = [];
  const outboxes = new Set(OUTBOXES.map(({ name }) => name));
  for (const { name } of DECIDED.filter((spec) => !LEDGER.includes(spec))) {
    const isOfBatch = name === cuts.name || name === transactions.name;
    const kept = (document: Document): Document | undefined => {
      if (isOfBatch && (lastBatch < 0 || document.id > last)) return undefined;
      if (name === cuts.name) return published(document);
      if (name === RESERVATIONS_COLLECTION.name) return reserved(document);
      const mayLack = outboxes.has(name) && (ids.has(document.id) || Number(document['at']) >= since);
      return mayLack ? { ...document, unpublished: 1 } : document;
    };
    files.push(...(await dumpCollection(store, folder, name, kept)));
  }
  await store.ensure(VIEW_COLLECTIONS.filter(({ name }) => KEPT_VIEWS.includes(name)));
  for (const name of KEPT_VIEWS)
    files.push(...(await dumpCollection(store, folder, name, (document) => document)));
  return files;
}

/**
 * Writes a collection. One without documents gets no file: a version that does not know it can restore the backup.
 * @param kept returns the document to write; undefined omits the document
 */
async function dumpCollection(
  store: DocumentStore,
  folder: string,
  name: string,
  kept: (document: Document) => Document | undefined,
): Promise<Manifest['collections']> {
  const file = `documents/${name}.ndjson.gz`;
  let writer: LineWriter | undefined;
  for await (const page of store.scan(name))
    for (const document of page) {
      const line = kept(document);
      if (line === undefined) continue;
      writer ??= await LineWriter.open(join(folder, file));
      await writer.write(line);
    }
  return writer === undefined ? [] : [{ name, file, ...(await writer.close()) }];
}

/** Marks a cut as published: the log has the cut, and its other consequences are made again. */
const published = (cut: Document): Document => ({ ...cut, unpublished: undefined });

/**
 * Leaves out that a name was given up: its owner may have given it up after the streams were read, and would be without it in
 * the backup. One whose owner's stream does not confirm it counts for nothing, and anybody may take it.
 */
const reserved = (reservation: Document): Document => ({ ...reservation, released: false });
