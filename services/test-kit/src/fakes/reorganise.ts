import { DEV_LEDGER_COLLECTIONS, type DocumentStore } from '@sentinel-node/platform';

const { blocks, transactions } = DEV_LEDGER_COLLECTIONS;

/**
 * Removes the newest `depth` blocks of a development ledger, as if another chain had become longer; their
 * transactions wait for a block again. Move the clock, so that the next blocks differ.
 * @throws Error when one of the blocks pays funds, which would be lost
 */
export async function dropBlocks(store: DocumentStore, depth: number): Promise<void> {
  const query = { sort: { field: 'id', direction: 'desc' }, limit: depth } as const;
  const dropped = await store.find(blocks.name, query);
  if (dropped.some(({ payee }) => payee !== null)) throw new Error('a block that pays funds');
  const txids = dropped.flatMap(({ txids }) => txids);
  const found = await store.getMany(transactions.name, txids);
  await store.remove(
    blocks.name,
    dropped.map(({ id }) => id),
  );
  await store.remove(transactions.name, txids);
  const coinbases = new Set(dropped.map(({ txids }) => txids[0]));
  const waiting = found
    .filter(({ id }) => !coinbases.has(id))
    .map(({ id, rawTx, order }) => ({ id, rev: 1, rawTx, order, waiting: 1 }) as const);
  await store.insertMissing(transactions.name, waiting);
}
