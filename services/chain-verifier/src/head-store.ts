import { COLLECTIONS } from '@sentinel-node/contracts';
import {
  collectionOf,
  PortError,
  upsertOf,
  type CollectionWrite,
  type DocumentStore,
} from '@sentinel-node/platform';
import { INITIAL_HEAD, type Head } from './domain/head.ts';
import { misfitOf } from './head-form.ts';

/** Version of a stored head; a verifier refuses other versions. Heads can be rebuilt from the log. */
const HEAD_SHAPE = 1;
/** Version of the head of a parked key: a verifier without parking must not judge from it. */
const PARKED_SHAPE = 2;
/** Version of a head with attributes, parked or not: a verifier without them would lose them. */
const ATTRIBUTES_SHAPE = 3;
/** Version of a head with `awaitedMissing`, whatever else it has: a verifier without rules 3 would lose it. */
const RULES_3_SHAPE = 4;
const SHAPES: readonly unknown[] = [HEAD_SHAPE, PARKED_SHAPE, ATTRIBUTES_SHAPE, RULES_3_SHAPE];

/** id: the key. */
export type HeadDocument = Head & { readonly id: string; readonly shape: number };

export const HEADS_COLLECTION = {
  name: collectionOf<HeadDocument>(COLLECTIONS.heads),
  indexes: [],
} as const;

/** The calls of the verifier to the document store. */
export type HeadStore = Pick<DocumentStore, 'find' | 'getMany' | 'writeBatches'>;

/** How the heads are made again. Verdicts that come twice change nothing. */
const JUDGE_AGAIN =
  'with all verifiers stopped, the heads are removed, so that all reports are judged again, to the same result (deploy/runbook.md, “Heads”)';

/** The stored heads belong to another version of the verifier. */
export class HeadShapeError extends PortError {
  constructor(shape: unknown) {
    super(
      'HEAD_SHAPE',
      `stored heads have shape ${String(shape)}, this version reads ${SHAPES.join(', ')}: start the version that wrote them; or, ${JUDGE_AGAIN}`,
    );
  }
}

/** A stored head is not as a verifier writes it. A verdict from it would be wrong, and would stay in the log. */
export class HeadUnusableError extends PortError {
  constructor(id: string, misfit: string) {
    super(
      'HEAD_UNUSABLE',
      `the stored head of ${id} in the collection ${HEADS_COLLECTION.name} has ${misfit}, as no verifier writes it: somebody wrote to the database. Nothing of its partition is judged until, ${JUDGE_AGAIN}`,
    );
  }
}

/** Reads the heads of the keys at once; keys never judged get the initial head. @throws HeadShapeError, HeadUnusableError */
export async function loadHeads(store: HeadStore, keys: readonly string[]): Promise<Map<string, Head>> {
  const heads = new Map(keys.map((key) => [key, INITIAL_HEAD]));
  if (keys.length === 0) return heads;
  for (const document of await store.getMany(HEADS_COLLECTION.name, keys)) {
    const { id, shape, ...head } = document;
    if (!SHAPES.includes(shape)) throw new HeadShapeError(shape);
    const misfit = misfitOf(head);
    if (misfit !== undefined) throw new HeadUnusableError(id, misfit);
    heads.set(id, head);
  }
  return heads;
}

/** Heads of one write: some 2 MB, so that other writes of the store get their turn between two. */
const HEADS_PER_WRITE = 2_000;

/** Returns writes of the heads; a stored head with an equal or higher `rev` stays. */
export function headsBatches(heads: ReadonlyMap<string, Head>): (readonly CollectionWrite[])[] {
  const documents = Array.from(heads, ([id, head]) => headDocument(id, head));
  const batches: (readonly CollectionWrite[])[] = [];
  for (let at = 0; at < documents.length; at += HEADS_PER_WRITE)
    batches.push([upsertOf(HEADS_COLLECTION.name, documents.slice(at, at + HEADS_PER_WRITE))]);
  return batches;
}

/** Returns the stored form of a head. */
export function headDocument(id: string, head: Head): HeadDocument {
  return { id, shape: shapeOf(head), ...head };
}

function shapeOf({ attributes, awaitedMissing, parked }: Head): number {
  if (awaitedMissing !== undefined) return RULES_3_SHAPE;
  if (attributes !== undefined) return ATTRIBUTES_SHAPE;
  return parked === undefined ? HEAD_SHAPE : PARKED_SHAPE;
}
