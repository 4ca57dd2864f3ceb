/** Hashes that a batch gives for parts of the log: two logs give different hashes for the same leaves. */
import { decodeBatchHeader } from '../log/batch-header.ts';
import { fromHex, toHex } from '../bytes/bytes.ts';
import { leafHash, rootFromInclusion } from '../log/merkle.ts';
import { CompactRange, largestPowerOfTwoBelow } from '../log/merkle-consistency.ts';
import type { ProofBatch } from './proof.ts';

/** Collects what batches give for parts of the log, so that each is compared with all before it in linear time. */
export class LogRanges {
  readonly #known = new Map<string, string>();

  /** Takes a batch. Returns false when it gives other hashes than a batch before. A malformed batch gives none. */
  add(batch: Pick<ProofBatch, 'header' | 'logPath'>): boolean {
    let isSame = true;
    for (const [range, hash] of rangesOf(batch)) {
      const known = this.#known.get(range);
      if (known === undefined) this.#known.set(range, hash);
      else if (known !== hash) isSame = false;
    }
    return isSame;
  }
}

/**
 * Returns the roots of the perfect subtrees, by their leaves, of the log that ends with the batch and of the log before
 * the batch. The path of the last leaf consists of the subtrees before it, the smallest first. Empty when the header or
 * the number of hashes is malformed.
 */
function rangesOf({
  header,
  logPath,
}: Pick<ProofBatch, 'header' | 'logPath'>): [range: string, hash: string][] {
  const bytes = fromHex(header);
  const size = decodeBatchHeader(bytes)?.batch;
  const path = logPath.map(fromHex);
  if (size === undefined || rootFromInclusion(leafHash(bytes), size, size + 1, path) === undefined) return [];
  const log = new CompactRange(size, path.reverse());
  const before = placed(log);
  log.append(leafHash(bytes));
  return [...before, [`${size}+1`, toHex(leafHash(bytes))], ...placed(log)];
}

/** Returns each peak with its first leaf and its size. */
function placed({ peaks, size }: CompactRange): [range: string, hash: string][] {
  let [begin, left] = [0, size];
  return peaks.map((peak) => {
    const count = largestPowerOfTwoBelow(left + 1);
    const range = `${begin}+${count}`;
    begin += count;
    left -= count;
    return [range, toHex(peak)];
  });
}
