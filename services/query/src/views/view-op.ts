import type { Document, DocumentStore } from '@sentinel-node/platform';
import { VIEWS, type ViewName } from './collections.ts';

/** One write to one view. `upsert`: guarded by the document's `rev`. `insertMissing`: the first one stays. */
export type ViewOp =
  | {
      readonly collection: ViewName;
      readonly mode: 'upsert';
      readonly documents: readonly (Document & { readonly rev: number })[];
    }
  | {
      readonly collection: ViewName;
      readonly mode: 'insertMissing';
      readonly documents: readonly Document[];
    };

/**
 * What is written before what: a reader who finds an alert finds its link, who finds an event finds its alert. A stage
 * begins when the one before it is durable; collections that no stage names come last.
 */
const STAGES: readonly (readonly ViewName[])[] = [
  [VIEWS.links, VIEWS.chainEntries, VIEWS.alertRequests],
  [VIEWS.alerts],
  [VIEWS.events],
];

/** Where views are written to. */
export type ViewWriter = Pick<DocumentStore, 'bulkUpsert' | 'insertMissing'>;

/** Merges the operations (the highest `rev` a document) and writes them in the order of the stages. */
export async function applyOps(store: ViewWriter, ops: readonly ViewOp[]): Promise<void> {
  const merged = mergeOps(ops);
  for (const stage of stagesOf(merged)) {
    await Promise.all(
      stage.map((op) =>
        op.mode === 'upsert'
          ? store.bulkUpsert(op.collection, op.documents)
          : store.insertMissing(op.collection, op.documents),
      ),
    );
  }
}

/** At most one operation a collection and one document an id. */
export function mergeOps(ops: readonly ViewOp[]): ViewOp[] {
  const merged = new Map<ViewName, { mode: ViewOp['mode']; documents: Map<string, Document> }>();
  for (const { collection, mode, documents } of ops) {
    let into = merged.get(collection);
    if (into === undefined) merged.set(collection, (into = { mode, documents: new Map() }));
    for (const document of documents) {
      const held = into.documents.get(document.id);
      if (held === undefined || (mode === 'upsert' && document.rev! > held.rev!))
        into.documents.set(document.id, document);
    }
  }
  return [...merged].map(
    ([collection, { mode, documents }]) =>
      ({ collection, mode, documents: [...documents.values()] }) as unknown as ViewOp,
  );
}

function stagesOf(ops: readonly ViewOp[]): ViewOp[][] {
  const named = STAGES.map((names) => ops.filter(({ collection }) => names.includes(collection)));
  const last = ops.filter(({ collection }) => !STAGES.some((names) => names.includes(collection)));
  return [...named, last].filter((stage) => stage.length > 0);
}
