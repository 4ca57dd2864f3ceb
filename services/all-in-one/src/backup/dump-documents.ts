/** What is decided and said nowhere else, a file a collection, so that it fits the log up to the positions taken before. */
import { join } from 'node:path';
import { OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import { LIMITS } from '@sentinel-node/contracts';
import {
  batchId,
  CLAIMS_COLLECTION,
  leftovers,
  STREAMS_COLLECTION,
  type CollectionSpec,
  type Document,
  type DocumentStore,
} from '@sentinel-node/platform';
import { NOT_VIEWS } from '../not-views.ts';
import { BackupError } from './errors.ts';
import { LineWriter } from './line-file.ts';
import type { Manifest } from './manifest.ts';

const { cuts, transactions } = OWN_COLLECTIONS;
/** Documents that are published to the log. Cuts are, too, but only those that have been are kept. */
const OUTBOXES: readonly CollectionSpec[] = [STREAMS_COLLECTION, CLAIMS_COLLECTION, transactions];
/** How far the clocks of processes may be apart, in milliseconds. */
const CLOCKS_APART_MS = 300_000;

/** In this order: whoever takes a name or sends a link does it before the commit, so commits come first. */
export const DECIDED: readonly CollectionSpec[] = NOT_VIEWS.filter(
  ({ keeping }) => keeping === 'decided',
).map(({ spec }) => spec);

/** Before the positions of the log are taken: what may not be on the log by then. It is published again, which is harmless. */
export interface Unpublished {
  readonly ids: ReadonlySet<string>;
  /** Milliseconds since the Unix epoch: so is what was decided later. */
  readonly since: number;
}

/** @throws BackupError when the log has not taken what was decided for long */
export async function unpublishedNow(store: DocumentStore, isLive: boolean): Promise<Unpublished> {
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

/** @param lastBatch cuts and transactions beyond are left out: the log does not tell of them, they are made anew */
export async function dumpDocuments(
  store: DocumentStore,
  folder: string,
  { ids, since }: Unpublished,
  lastBatch: number,
): Promise<Manifest['collections']> {
  const last = batchId(Math.max(0, lastBatch));
  const files: Manifest['collections'] = [];
  const outboxes = new Set(OUTBOXES.map(({ name }) => name));
  for (const { name } of DECIDED) {
    const isOfBatch = name === cuts.name || name === transactions.name;
    const file = `documents/${name}.ndjson.gz`;
    const writer = await LineWriter.open(join(folder, file));
    for await (const page of store.scan(name)) {
      for (const document of page) {
        if (isOfBatch && (lastBatch < 0 || document.id > last)) continue;
        const mayLack = outboxes.has(name) && (ids.has(document.id) || Number(document['at']) >= since);
        if (name === cuts.name) await writer.write(published(document));
        else await writer.write(mayLack ? { ...document, unpublished: 1 } : document);
      }
    }
    files.push({ name, file, ...(await writer.close()) });
  }
  return files;
}

/** The log tells of the cut; what else follows from it is made anew. */
function published(cut: Document): Document {
  return Object.fromEntries(Object.entries(cut).filter(([name]) => name !== 'unpublished')) as Document;
}
