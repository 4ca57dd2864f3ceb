import type { CollectionWrite, Document, DocumentStore } from '@sentinel-node/platform';
import { type ViewName, VIEWS } from './collections.ts';

/** One write to one view. `upsert` keeps the document with the highest `rev`; `insertMissing` keeps the first one. */
export type ViewOp = CollectionWrite & { readonly collection: ViewName };

/**
 * The order of the writes. A reader who finds an alert also finds its link; a reader who finds an event, its alert; a
 * reader who finds a batch, its evidence. Collections that no stage names come last.
 */
const STAGES: readonly (readonly ViewName[])[] = [
  [VIEWS.links, VIEWS.chainEntries, VIEWS.alertRequests, VIEWS.anchorProofs],
  [VIEWS.alerts],
  [VIEWS.events],
];

/** The part of the store that writes views. */
export type ViewWriter = Pick<DocumentStore, 'writeBatches'>;

/** Merges the operations (each document keeps its highest `rev`) and writes them stage by stage; `last` comes last. */
export function applyOps(
  store: ViewWriter,
  ops: readonly ViewOp[],
  last: readonly CollectionWrite[] = [],
): Promise<void> {
  return store.writeBatches([...batchesOf(mergeOps(ops)), last]);
}

/** Returns at most one operation for each collection and one document for each id. */
export function mergeOps(ops: readonly ViewOp[]): ViewOp[] {
  const merged = new Map<ViewName, { mode: ViewOp['mode']; documents: Map<string, Document> }>();
  for (const { collection, mode, documents } of ops) {
    let into = merged.get(collection);
    if (into === undefined) merged.set(collection, (into = { mode, documents: new Map() }));
    for (const document of documents) {
      const existing = into.documents.get(document.id);
      if (existing === undefined || (mode === 'upsert' && document.rev! > existing.rev!))
        into.documents.set(document.id, document);
    }
  }
  return [...merged].map(
    ([collection, { mode, documents }]) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- documents of one mode come from operations of that mode
      ({ collection, mode, documents: [...documents.values()] }) as unknown as ViewOp,
  );
}

function batchesOf(ops: readonly ViewOp[]): ViewOp[][] {
  const named = STAGES.map((names) => ops.filter(({ collection }) => names.includes(collection)));
  const last = ops.filter(({ collection }) => !STAGES.some((names) => names.includes(collection)));
  return [...named, last].filter((stage) => stage.length > 0);
}
