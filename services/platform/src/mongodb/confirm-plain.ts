import type { CollectionInfo, Db } from 'mongodb';
import { CollectionForeignError } from './mongo-errors.ts';

/**
 * Refuses collections that drop documents or refuse them by a rule of somebody else: a capped one, a view, one with a validator.
 * @throws CollectionForeignError
 */
export async function confirmPlain(db: Db, names: readonly string[]): Promise<void> {
  const found = await db.listCollections({ name: { $in: [...names] } }, { nameOnly: false }).toArray();
  for (const { name, options, type } of found) {
    const what = foreignKind(type, options);
    if (what !== undefined)
      throw new CollectionForeignError(name, what, 'make it an ordinary collection with the same documents');
  }
}

function foreignKind(type: string | undefined, options: CollectionInfo['options']): string | undefined {
  if (type !== undefined && type !== 'collection') return `it is a ${type}`;
  if (options?.['capped'] === true) return 'it is capped';
  return options?.['validator'] === undefined ? undefined : 'it has a validator';
}
