import type { Receipt, SignedReceipts } from '@sentinel-node/contracts';

/** A report as its receipt names it: when it was accepted, and where it stands in the tree. */
export type ReceiptPosition = Pick<Receipt, 'acceptedAt' | 'index'>;

/**
 * Returns what writes the JSON texts of the receipts under one signature, as `JSON.stringify` does. What they share is
 * written once; a hash has no character that JSON escapes.
 */
export function receiptTexts({ signed, path }: SignedReceipts): (position: ReceiptPosition) => string {
  const shared = JSON.stringify(signed).slice(1);
  return ({ acceptedAt, index }) => {
    const hashes = path(index);
    const list = hashes.length === 0 ? '' : `"${hashes.join('","')}"`;
    return `{"acceptedAt":${acceptedAt},"index":${index},"path":[${list}],${shared}`;
  };
}
