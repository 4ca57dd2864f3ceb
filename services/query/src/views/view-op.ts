import type { CollectionWrite, Document, DocumentStore } from '@sentinel-node/platform';
import { type ViewName, VIEWS } from './collections.ts';

/** One write to one view. `upsert`: guarded by the document's `rev`. `insertMissing`: the first one stays. */
export type ViewOp = CollectionWrite & { readonly collection: ViewName };

/**
 * What is written before what: a reader who finds an alert finds its link, who finds an event finds its alert,
 * who finds a batch finds what its proofs need.
 * Collections that no stage names come last.
 */
const STAGES: readonly (readonly ViewName[])[] = [
  [VIEWS.links, VIEWS.chainEntries, VIEWS.alertRequests, VIEWS.anchorProofs],
  [VIEWS.alerts],
  [VIEWS.events],
];

/** Where views are written to. */
export type ViewWriter = Pick<DocumentStore, 'writeBatches'>;

/** Merges the operations (the highest `rev` a document) and writes them in the order of the stages; `last` comes after them. */
export function applyOps(
  store: ViewWriter,
  ops: readonly ViewOp[],
  last: readonly CollectionWrite[] = [],
): Promise<void> {
  return store.writeBatches([...batchesOf(mergeOps(ops)), last]);
}

/** At most one operation a collection and one document an id. */
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
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- documents of one mode come from operations of that mode
      ({ collection, mode, documents: [...documents.values()] }) as unknown as ViewOp,
  );
}

function batchesOf(ops: readonly ViewOp[]): ViewOp[][] {
  const named = STAGES.map((names) => ops.filter(({ collection }) => names.includes(collection)));
  const last = ops.filter(({ collection }) => !STAGES.some((names) => names.includes(collection)));
  return [...named, last].filter((stage) => stage.length > 0);
}
