import { MongoBulkWriteError, MongoServerError } from 'mongodb';
import type { AnyBulkWriteOperation, Collection, WriteError } from 'mongodb';
import { ConflictError } from '../ports/errors.ts';
import type { Encoded, StoredDocument } from './encode.ts';
import { COMMAND_BYTES, COMMAND_DOCUMENTS, COMMAND_IDS } from './limits.ts';
import { DUPLICATE_KEY } from './mongo-errors.ts';

export type StoredCollection = Collection<StoredDocument>;

/** The first attempt, a second after a race with another insert of the same id, and one more. */
const UPSERT_ATTEMPTS = 3;

/** Splits documents into commands within MongoDB's limits. */
function* commandsOf(encoded: readonly Encoded[]): Generator<StoredDocument[]> {
  let documents: StoredDocument[] = [];
  let size = 0;
  for (const { document, bytes } of encoded) {
    if (documents.length === COMMAND_DOCUMENTS || (documents.length > 0 && size + bytes > COMMAND_BYTES)) {
      yield documents;
      [documents, size] = [[], 0];
    }
    documents.push(document);
    size += bytes;
  }
  if (documents.length > 0) yield documents;
}

/** Returns the operations that a duplicate key refused; all others succeeded. @throws any other failure */
async function refused(
  collection: StoredCollection,
  operations: AnyBulkWriteOperation<StoredDocument>[],
): Promise<number[]> {
  try {
    await collection.bulkWrite(operations, { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    if (error.result.getWriteConcernError() !== undefined) throw error;
    const errors = error.result.getWriteErrors();
    if (errors.length === 0) throw error;
    const other = errors.find(({ code }) => code !== DUPLICATE_KEY);
    if (other !== undefined) throw refusalBy(error, other);
    return errors.map(({ index }) => index);
  }
}

/** Returns the error of one write; the driver gives a bulk write the code of its first error, whichever it is. */
function refusalBy({ errorLabels }: MongoBulkWriteError, { code, errmsg }: WriteError): MongoServerError {
  return new MongoServerError({ message: errmsg ?? `refused by ${code}`, code, errorLabels });
}

/**
 * Upserts documents. If the stored `rev` is as high or higher, the filter misses and the insert fails on the id. A
 * racing insert of a *lower* `rev` fails in the same way, so refused documents are compared with the stored ones, and
 * newer ones are tried again.
 * @throws ConflictError when a unique index refuses
 */
export async function upsert(collection: StoredCollection, encoded: readonly Encoded[]): Promise<void> {
  for (const command of commandsOf(newestOfEach(encoded))) {
    let left = command;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === UPSERT_ATTEMPTS)
        throw new ConflictError(`${collection.collectionName}: a unique index already holds it`);
      const failed = await refused(collection, left.map(replaceLower));
      left = await newerThanStored(
        collection,
        failed.map((index) => left[index]!),
      );
    }
  }
}

const revOf = (document: StoredDocument): number => Number(document['rev'] ?? -Infinity);

/** Returns a replacement for a lower `rev`; `$not` also matches a stored document without `rev`. */
function replaceLower(replacement: StoredDocument): AnyBulkWriteOperation<StoredDocument> {
  const { _id } = replacement;
  const filter = { _id, rev: { $not: { $gte: revOf(replacement) } } };
  return { replaceOne: { filter, replacement, upsert: true } };
}

/** Returns for each id the first document with the highest `rev`, which would remain after sequential upserts. */
function newestOfEach(encoded: readonly Encoded[]): Encoded[] {
  const newest = new Map<string, Encoded>();
  for (const one of encoded) {
    const other = newest.get(one.document._id);
    if (other === undefined || revOf(other.document) < revOf(one.document)) newest.set(one.document._id, one);
  }
  return [...newest.values()];
}

async function newerThanStored(
  collection: StoredCollection,
  documents: readonly StoredDocument[],
): Promise<StoredDocument[]> {
  if (documents.length === 0) return [];
  const ids = documents.map(({ _id }) => _id);
  const found = await collection
    .find({ _id: { $in: ids } }, { projection: { rev: 1 }, ...ONE_ANSWER })
    .toArray();
  const revs = new Map(found.map((document) => [document._id, revOf(document)]));
  return documents.filter((document) => (revs.get(document._id) ?? -Infinity) < revOf(document));
}

/** More than any command returns, so that one answer has all. */
const ONE_ANSWER = { batchSize: COMMAND_DOCUMENTS + 1 };

/** @returns the inserted ids @throws ConflictError when a unique index refuses */
export async function insertMissing(
  collection: StoredCollection,
  encoded: readonly Encoded[],
): Promise<string[]> {
  const first = new Map<string, Encoded>();
  for (const one of encoded) if (!first.has(one.document._id)) first.set(one.document._id, one);
  const inserted: string[] = [];
  for (const command of commandsOf([...first.values()])) {
    const failed = await refused(
      collection,
      command.map((document) => ({ insertOne: { document } })),
    );
    // The id may be new, and a unique index refuse it: a declared one, or one that somebody made meanwhile.
    if (failed.length > 0)
      await assertThere(
        collection,
        failed.map((index) => command[index]!._id),
      );
    const there = new Set(failed);
    for (const [index, { _id }] of command.entries()) if (!there.has(index)) inserted.push(_id);
  }
  return inserted;
}

/** Throws when an id is missing, because then its insert was refused for another cause. */
async function assertThere(collection: StoredCollection, ids: readonly string[]): Promise<void> {
  const found = await collection.countDocuments({ _id: { $in: [...ids] } });
  if (found < ids.length)
    throw new ConflictError(`${collection.collectionName}: a unique index already holds it`);
}

/**
 * Removes by one operation for each id, which the driver may repeat after a lost connection; it may not repeat
 * `deleteMany`.
 */
export async function remove(collection: StoredCollection, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += COMMAND_IDS) {
    const part = ids.slice(from, from + COMMAND_IDS);
    await collection.bulkWrite(
      part.map((_id) => ({ deleteOne: { filter: { _id } } })),
      { ordered: false },
    );
  }
}
