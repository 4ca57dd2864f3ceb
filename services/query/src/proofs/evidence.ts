/** The evidence of a batch from anchoring and the ledger, read from the view of the anchors topic. */
import {
  equalBytes,
  fromHex,
  leafHash,
  parseBlockHeader,
  parseTransaction,
  rootFromInclusion,
  shownHash,
  toHex,
  type Cut,
  type ProofBlock,
  type ProofTransaction,
} from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import { type AnchorProofView, anchorState, VIEWS } from '../views/index.ts';
import { PROOF_WORK } from './limits.ts';

export interface Evidence {
  readonly cut: Cut;
  /** Inclusion path from the batch header to the root of the log that ends with the batch. */
  readonly logPath: readonly Uint8Array[];
  readonly transaction: ProofTransaction | null;
  readonly block: ProofBlock | null;
  /** Signature lines of witnesses, each with its final LF. */
  readonly cosignatures: readonly string[];
}

/** @throws ApiError UNAVAILABLE until the evidence is published; Error when the parts of the evidence do not match */
export async function evidenceOf(store: DocumentStore, batch: number): Promise<Evidence> {
  const view = await store.get(VIEWS.anchorProofs, String(batch));
  if (view === undefined)
    throw new ApiError('UNAVAILABLE', {
      detail: `The entry is in batch ${batch}, whose proofs are being prepared: come again later.`,
      retryAfterSeconds: PROOF_WORK.preparingRetrySeconds,
    });
  const { cut } = view;
  const { cosignatures = [] } = view.evidence;
  const logPath = logPathOf(view);
  const state = anchorState({ status: view.transaction?.status ?? null });
  if (state === 'BATCHED') return { cut, logPath, cosignatures, transaction: null, block: null };
  const block = state === 'CONFIRMED' ? blockOf(view) : null;
  return { cut, logPath, cosignatures, transaction: sentTransaction(view), block };
}

/** Checks that the path leads from the header to the root, because a wrong root must not be signed. */
function logPathOf({ cut, evidence }: AnchorProofView): readonly Uint8Array[] {
  const { batch, header, logRoot } = cut;
  const path = evidence.logPath.map(fromHex);
  const root = rootFromInclusion(leafHash(fromHex(header)), batch, batch + 1, path);
  if (root === undefined || !equalBytes(root, fromHex(logRoot)))
    throw new Error(`the log before batch ${batch} does not lead to its root`);
  return path;
}

function sentTransaction({ cut, transaction, evidence }: AnchorProofView): ProofTransaction {
  const txid = transaction!.txid;
  const sent = evidence.transaction;
  const parsed = sent === null ? undefined : parseTransaction(fromHex(sent.raw));
  if (sent === null || parsed === undefined || shownHash(parsed.hash) !== txid)
    throw new Error(`batch ${cut.batch} has another transaction than ${txid}`);
  return { network: sent.network, txid, raw: sent.raw };
}

/** Returns null while the Merkle path is not known. */
function blockOf({ transaction, evidence }: AnchorProofView): ProofBlock | null {
  const { blockHash, blockHeight, merklePath, confirmations } = transaction!;
  if (blockHash === null || blockHeight === null || merklePath === null || merklePath === '') return null;
  const header = evidence.block?.header ?? null;
  const parsed = header === null ? undefined : parseBlockHeader(fromHex(header));
  const known = parsed !== undefined && shownHash(parsed.hash) === blockHash ? evidence.block : null;
  return {
    height: blockHeight,
    hash: blockHash,
    bump: merklePath,
    header: known?.header ?? null,
    coinbase: known?.coinbase ?? null,
    confirmations,
  };
}

/** Returns each hash as hex. */
export const hexes = (hashes: readonly Uint8Array[]): string[] => hashes.map(toHex);
