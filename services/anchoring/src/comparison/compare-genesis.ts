/** Compares the first anchor, of which checkers keep the id, with what else the store has of it. */
import { fromHex } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type CutDocument, type TransactionDocument } from '../collections.ts';
import { keyScriptOf, outputsSpentBy } from '../transaction/sign-anchor.ts';
import { compareBatch, cutDifference } from './compare-batch.ts';

/** The documents of a batch; each undefined when it is not there. */
export interface StoredBatch {
  readonly cut: CutDocument | undefined;
  readonly document: TransactionDocument | undefined;
}

export interface GenesisOptions {
  readonly logId: Uint8Array;
  readonly first: StoredBatch & { readonly document: TransactionDocument };
  /** Batch 1. */
  readonly second: StoredBatch;
  /** Hash of the anchoring key (`publicKeyHashOf`), hex; undefined without the key. */
  readonly keyHash: string | undefined;
}

export interface ComparedGenesis {
  /** Difference in words for a person; undefined when nothing contradicts the first transaction. */
  readonly difference: string | undefined;
  /** Whether the transaction of batch 1, which is signed, spends it. */
  readonly isFollowed: boolean;
  /** Whether the anchoring key was there to compare with: it signed all inputs of the first transaction. */
  readonly isByKey: boolean;
}

const { cuts, transactions } = OWN_COLLECTIONS;

/** Reads the documents of a batch, which a service may write meanwhile: the cut comes first. */
export async function storedBatch(
  documents: Pick<DocumentStore, 'get'>,
  batch: number,
): Promise<StoredBatch> {
  const document = await documents.get(transactions.name, batchId(batch));
  return { document, cut: await documents.get(cuts.name, batchId(batch)) };
}

/**
 * Compares batch 0 with its cut, header, signatures and recorded id, and with the transaction of batch 1, which has to spend it.
 * Who can write the store can put all this there, too, but no signature of the anchoring key, which never changes while a log goes on.
 */
export function compareGenesis({ first, keyHash, logId, second }: GenesisOptions): ComparedGenesis {
  const { document } = first;
  const isByKey = keyHash !== undefined && spendsOnly(document, keyScriptOf(keyHash));
  const told = (difference: string | undefined, isFollowed = false): ComparedGenesis => ({
    difference,
    isFollowed,
    isByKey,
  });
  if (first.cut === undefined) return told('batch 0 has a transaction and no cut');
  const cutFault = cutDifference(first.cut, undefined);
  if (cutFault !== undefined) return told(`batch 0: ${cutFault}`);
  const compared = compareBatch({ logId, ...placeOf(first.cut), document, before: undefined });
  if (compared.difference !== undefined) return told(`batch 0: ${compared.difference}`);
  if (keyHash !== undefined && !isByKey)
    return told('batch 0: another key signed its transaction than the anchoring key that is configured here');
  if (second.document === undefined) return told(undefined);
  if (second.cut === undefined) return told('batch 1 has a transaction and no cut');
  const { difference } = compareBatch({
    logId,
    ...placeOf(second.cut),
    document: second.document,
    before: compared.tip,
  });
  return difference === undefined ? told(undefined, true) : told(`batch 1: ${difference}`);
}

const placeOf = ({ cut }: CutDocument) => ({ cut, logRoot: fromHex(cut.logRoot) });

function spendsOnly({ extendedTx, rawTx }: TransactionDocument, script: string): boolean {
  const spent = outputsSpentBy(extendedTx, rawTx);
  return spent !== undefined && spent.length > 0 && spent.every((output) => output.script === script);
}
