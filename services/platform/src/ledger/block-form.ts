import { LedgerUnavailableError } from '../ports/errors.ts';
import { blockId, type BlockDocument } from './collections.ts';

const HASH = /^[0-9a-f]{64}$/;
const HEADER = /^[0-9a-f]{160}$/;
const BYTES = /^(?:[0-9a-f]{2})+$/;

/**
 * Returns the block as it is stored; whether it holds is for who asks for it.
 * @throws LedgerUnavailableError for one that is not in the form that the ledger writes: somebody wrote to the store, and of what is in
 * such a block nothing can be said
 */
export function blockInForm(block: BlockDocument): BlockDocument {
  const { coinbase, hash, header, height, id, lastFilled, payee, time, txids } = block;
  const isBlock =
    [height, lastFilled, time].every(Number.isSafeInteger) &&
    blockId(height) === id &&
    isText(hash, HASH) &&
    isText(header, HEADER) &&
    isText(coinbase, BYTES) &&
    (payee === null || typeof payee === 'string') &&
    Array.isArray(txids) &&
    txids.length > 0 &&
    txids.every((txid) => isText(txid, HASH));
  if (isBlock) return block;
  throw new LedgerUnavailableError(
    `the block ${id} of the development ledger is not in the form that the ledger writes: somebody changed the store`,
  );
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value);
