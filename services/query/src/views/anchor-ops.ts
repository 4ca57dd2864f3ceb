import type { AnchorRecord } from '@sentinel-node/contracts';
import { VIEWS } from './collections.ts';
import type { AnchorBatchView, AnchorProofView, AnchorRangeView } from './documents.ts';
import type { ViewOp } from './view-op.ts';

/** Returns the writes of the batch's current state, and of the ranges of chain records that it covers for good. */
export function anchorOps({ batch, rev, cut, transaction, evidence }: AnchorRecord): ViewOp[] {
  const view: AnchorBatchView = {
    id: String(batch),
    rev,
    batch,
    closedAt: cut.closedAt,
    leafCount: cut.leafCount,
    txid: transaction?.txid ?? null,
    status: transaction?.status ?? null,
    blockHash: transaction?.blockHash ?? null,
    blockHeight: transaction?.blockHeight ?? null,
    confirmations: transaction?.confirmations ?? 0,
  };
  const ranges = cut.ranges.map(({ partition, from, to }): AnchorRangeView => {
    return { id: `${batch}:${partition}`, partition, from, to, batch };
  });
  const proofs: AnchorProofView[] =
    evidence === undefined ? [] : [{ id: String(batch), rev, cut, transaction, evidence }];
  return [
    { collection: VIEWS.anchorRanges, mode: 'insertMissing', documents: ranges },
    { collection: VIEWS.anchorBatches, mode: 'upsert', documents: [view] },
    { collection: VIEWS.anchorProofs, mode: 'upsert', documents: proofs },
  ];
}
