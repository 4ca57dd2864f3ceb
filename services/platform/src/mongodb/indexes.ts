import type { CreateIndexesOptions, Db, IndexDescriptionInfo } from 'mongodb';
import { MongoServerError } from 'mongodb';
import { partialFilter, uniqueIndexName } from './layout.ts';
import type { CollectionLayout, IndexLayout } from './layout.ts';
import {
  CollectionForeignError,
  INDEX_CONFLICTS,
  IndexChangedError,
  NAMESPACE_EXISTS,
} from './mongo-errors.ts';
import { NULLS } from './names.ts';
import type { Topology } from './topology.ts';

/**
 * Creates the collection if it is missing, and compares its indexes with the declared ones.
 * @returns declared indexes that are missing; an existing index may still be building
 * @throws IndexChangedError, CollectionForeignError
 */
export async function missingIndexes(db: Db, layout: CollectionLayout): Promise<IndexLayout[]> {
  await createCollection(db, layout.name);
  const found = await db.collection(layout.name).listIndexes().toArray();
  const foreign = found.find((one) => one.unique === true && !isOwnUnique(one));
  if (foreign !== undefined)
    throw new CollectionForeignError(
      layout.name,
      `the index ${foreign.name} over ${textOf(foreign.key)} is unique`,
      'drop it',
    );
  return layout.indexes.filter((index) => {
    const same = found.find(({ key }) => textOf(key) === textOf(index.key));
    if (same === undefined) return true;
    const [is, declared] = [formOf(same), declaredForm(index)];
    if (is !== declared) throw new IndexChangedError(layout.name, textOf(index.key), is, declared);
    return false;
  });
}

/** Returns whether this program, also another version of it, gives a unique index this name; its fields are compared with the declared ones. */
function isOwnUnique({ key, name }: IndexDescriptionInfo): boolean {
  return name === uniqueIndexName(Object.keys(key));
}

async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_EXISTS) throw error;
  }
}

/**
 * Resolves when all declared indexes can be used. `createIndexes` is sent for existing indexes as well: `listIndexes`
 * includes unfinished builds of other processes, and `createIndexes` waits for their end. Two processes may do so at
 * once. @throws IndexChangedError
 */
export async function makeIndexes(
  db: Db,
  layout: CollectionLayout,
  missing: readonly IndexLayout[],
  topology: Topology,
): Promise<void> {
  if (layout.indexes.length === 0) return;
  for (const path of new Set(missing.flatMap(({ needs }) => needs)))
    await setNullsApart(db, layout.name, path);
  try {
    await db.collection(layout.name).createIndexes(layout.indexes.map(descriptionOf), quorumOf(topology));
  } catch (error) {
    if (!(error instanceof MongoServerError) || !INDEX_CONFLICTS.includes(Number(error.code))) throw error;
    throw new IndexChangedError(
      layout.name,
      error.message,
      'of another kind',
      'one of the same name or fields',
    );
  }
}

/**
 * Returns the commit quorum. The default, all voting members, hangs while a member is down; a standalone server
 * refuses the option.
 */
function quorumOf(topology: Topology): CreateIndexesOptions {
  return topology === 'standalone' ? {} : { commitQuorum: 'majority' };
}

/**
 * Removes null from the field of a sparse index and records its name in `NULLS`: older documents may hold null there.
 */
async function setNullsApart(db: Db, collection: string, path: string): Promise<void> {
  const update = { $unset: { [path]: 1 }, $addToSet: { [NULLS]: path } } as object;
  await db.collection(collection).updateMany({ [path]: { $type: 'null' } }, update);
}

function descriptionOf(index: IndexLayout) {
  const { name, key, unique } = index;
  const partialFilterExpression = partialFilter(index);
  return {
    name,
    key,
    ...(unique ? { unique } : {}),
    ...(partialFilterExpression === undefined ? {} : { partialFilterExpression }),
  };
}

/** Describes a key. The order of fields counts; a direction may be an integer or a double. */
function textOf(key: object): string {
  return Object.entries(key)
    .map(([path, direction]) => `${path}:${Number(direction)}`)
    .join(',');
}

function declaredForm(index: IndexLayout): string {
  return form(index.unique, partialFilter(index));
}

function formOf({ unique, sparse, partialFilterExpression }: IndexDescriptionInfo): string {
  return form(unique === true, sparse === true ? 'sparse' : partialFilterExpression);
}

function form(unique: boolean, filter: unknown): string {
  const over = filter === undefined ? 'over every document' : `over documents with ${JSON.stringify(filter)}`;
  return unique ? `unique ${over}` : over;
}
