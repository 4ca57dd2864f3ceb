/** What anchoring and the ledger know of a batch. Their documents are checked: they come from another service. */
import {
  AnchorTransactionSchema,
  COLLECTIONS,
  CutSchema,
  equalBytes,
  fromHex,
  leafHash,
  rootFromInclusion,
  toHex,
  type AnchorTransaction,
  type Cut,
  type ProofBlock,
  type ProofTransaction,
} from '@sentinel-node/contracts';
import {
  ANCHOR_COLLECTIONS,
  ANCHOR_TRANSACTIONS_COLLECTION,
  ApiError,
  batchId,
  blockId,
  compileChecker,
  CUTS_COLLECTION,
  DEV_LEDGER_COLLECTIONS,
  type Checker,
  type CollectionSpec,
  type DocumentStore,
} from '@sentinel-node/platform';
import { Type } from 'typebox';
import { anchorState } from '../views/index.ts';

/** Read here, written by others. */
export const EVIDENCE_COLLECTIONS: readonly CollectionSpec[] = [
  ...ANCHOR_COLLECTIONS,
  CUTS_COLLECTION,
  ANCHOR_TRANSACTIONS_COLLECTION,
  DEV_LEDGER_COLLECTIONS.blocks,
];
const DEVELOPMENT = 'dev';

const hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const hex = Type.String({ pattern: '^([0-9a-f]{2})+$' });
const anchors = compileChecker(
  Type.Object({ cut: CutSchema, transaction: Type.Union([AnchorTransactionSchema, Type.Null()]) }),
);
const cuts = compileChecker(Type.Object({ log: Type.Object({ peaks: Type.Array(hash) }) }));
const transactions = compileChecker(
  Type.Object({
    network: Type.String(),
    rawTx: hex,
    record: Type.Object({ transaction: Type.Object({ txid: hash }) }),
  }),
);
const blocks = compileChecker(Type.Object({ hash, header: hex, coinbase: hex }));

export interface Evidence {
  readonly cut: Cut;
  /** From the batch header to the root of the log that ends with it. */
  readonly logPath: readonly Uint8Array[];
  readonly transaction: ProofTransaction | null;
  readonly block: ProofBlock | null;
}

/** @throws ApiError UNAVAILABLE when a part of it is not there; Error when the parts do not fit */
export async function evidenceOf(store: DocumentStore, batch: number): Promise<Evidence> {
  const { cut, transaction } = await held(store, COLLECTIONS.anchors, batchId(batch), anchors);
  const logPath = await logPathOf(store, cut);
  const state = anchorState({ status: transaction?.status ?? null });
  if (transaction === null || state === 'BATCHED') return { cut, logPath, transaction: null, block: null };
  const sent = await sentTransaction(store, batch, transaction.txid);
  const block = state === 'CONFIRMED' ? await blockOf(store, sent.network, transaction) : null;
  return { cut, logPath, transaction: sent, block };
}

/** The header is the last leaf then, so its siblings are the peaks of the log before, the smallest first. */
async function logPathOf(
  store: DocumentStore,
  { batch, header, logRoot }: Cut,
): Promise<readonly Uint8Array[]> {
  const before = batch === 0 ? undefined : await held(store, CUTS_COLLECTION.name, batchId(batch - 1), cuts);
  const path = (before?.log.peaks ?? []).map(fromHex).reverse();
  const root = rootFromInclusion(leafHash(fromHex(header)), batch, batch + 1, path);
  // What does not fit must not be signed.
  if (root === undefined || !equalBytes(root, fromHex(logRoot)))
    throw new Error(`the log before batch ${batch} does not lead to its root`);
  return path;
}

async function sentTransaction(store: DocumentStore, batch: number, txid: string): Promise<ProofTransaction> {
  const name = ANCHOR_TRANSACTIONS_COLLECTION.name;
  const { network, rawTx, record } = await held(store, name, batchId(batch), transactions);
  if (record.transaction.txid !== txid)
    throw new Error(`batch ${batch} has another transaction than ${txid}`);
  return { network, txid, raw: rawTx };
}

/** null while the path is not known. */
async function blockOf(
  store: DocumentStore,
  network: string,
  { blockHash, blockHeight, merklePath, confirmations }: AnchorTransaction,
): Promise<ProofBlock | null> {
  if (blockHash === null || blockHeight === null || merklePath === null || merklePath === '') return null;
  const known = network === DEVELOPMENT ? await developmentBlock(store, blockHeight, blockHash) : undefined;
  return {
    height: blockHeight,
    hash: blockHash,
    bump: merklePath,
    header: known?.header ?? null,
    coinbase: known?.coinbase ?? null,
    confirmations,
  };
}

async function developmentBlock(store: DocumentStore, height: number, blockHash: string) {
  const found = await store.get(DEV_LEDGER_COLLECTIONS.blocks.name, blockId(height));
  return blocks.check(found) && found.hash === blockHash ? found : undefined;
}

async function held<T>(
  store: DocumentStore,
  collection: string,
  id: string,
  checker: Checker<T>,
): Promise<T> {
  const found: unknown = await store.get(collection, id);
  if (found === undefined) throw new ApiError('UNAVAILABLE', 'The evidence of the batch is still coming in.');
  if (!checker.check(found)) throw new Error(`the document ${collection}/${id} cannot be read`);
  return found;
}

/** Hex of each. */
export const hexes = (hashes: readonly Uint8Array[]): string[] => hashes.map(toHex);
