import { toHex, type SignedReceipts } from '@sentinel-node/contracts';

const HASH_BYTES = 32;
const HASH_DIGITS = 2 * HASH_BYTES;

/** The JSON texts of the receipts under one signature. */
export interface ReceiptTexts {
  /** Text of the receipt of the leaf at `index`, as `JSON.stringify` writes it. @param acceptedAt milliseconds since 1970 */
  (acceptedAt: number, index: number): string;
}

/**
 * Returns the texts of all receipts under one signature. What receipts share is one string that all of them end with: the
 * signature, and the hashes of a path from the first node on that two leaves have in common. A hash has no character that
 * JSON escapes.
 */
export function receiptTexts({ signed, levels }: Pick<SignedReceipts, 'signed' | 'levels'>): ReceiptTexts {
  const root = levels.length - 1;
  let ends = [`],${JSON.stringify(signed).slice(1)}`];
  for (let height = root - 1; height >= 0; height--)
    ends = endsBelow(ends, levels[height]!, height === root - 1 ? '' : ',');
  return (acceptedAt, index) => `{"acceptedAt":${acceptedAt},"index":${index},"path":[${ends[index]!}`;
}

/**
 * Returns, for each node of a level, its sibling's hash and the text that follows it.
 * @param above the same of the level above @param comma what stands between the hash and that text
 */
function endsBelow(above: readonly string[], level: Uint8Array, comma: string): string[] {
  const digits = toHex(level);
  const count = level.length / HASH_BYTES;
  const ends: string[] = [];
  for (let at = 0; at < count; at++) {
    const end = above[at >>> 1]!;
    const sibling = HASH_DIGITS * (at ^ 1);
    // A node without a sibling moves up unchanged.
    const isCarried = sibling === digits.length;
    ends.push(isCarried ? end : `"${digits.slice(sibling, sibling + HASH_DIGITS)}"${comma}${end}`);
  }
  return ends;
}
