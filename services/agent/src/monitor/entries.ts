/** Checks new entries of a log: they lead to the signed roots, and the batch headers follow one another. */
import {
  BATCH_HEADER_BYTES,
  batchHeaderHash,
  CompactRange,
  decodeBatchHeader,
  equalBytes,
  leafHash,
  rangeRoot,
  TILE_WIDTH,
  toHex,
  type BatchHeader,
  type Checkpoint,
  type LeafRange,
  type ReadHashes,
} from '@sentinel-node/contracts';

/** Most entries per look; when there are more, the newest are read, and the result says which were passed over. */
export const ENTRIES_PER_LOOK = 4_096 * TILE_WIDTH;

/** Reads the entries of a bundle by its index and width. */
export type ReadEntries = (index: number, width: number) => Promise<readonly Uint8Array[]>;

export interface EntriesOf {
  readonly kept: Checkpoint | undefined;
  readonly now: Checkpoint;
  readonly logId: Uint8Array;
  readonly hashes: ReadHashes;
  readonly entries: ReadEntries;
  /** Most entries that are read. Default: `ENTRIES_PER_LOOK`. */
  readonly most?: number;
}

export interface CheckedEntries {
  /** The problem; undefined without a problem. */
  readonly problem: string | undefined;
  /** The wrong entry. */
  readonly entry?: Uint8Array | undefined;
  /** Closing time of the newest batch, in ms since 1970; undefined when no batch was read. */
  readonly closedAt: number | undefined;
  /** First and last new batch whose header was not read. */
  readonly passedOver?: readonly [from: number, to: number];
}

/**
 * Checks the entries from the kept checkpoint's last one on; without a kept checkpoint, only the newest entry.
 * @throws errors of the readers
 */
export async function checkEntries({
  kept,
  now,
  logId,
  hashes,
  entries,
  most = ENTRIES_PER_LOOK,
}: EntriesOf): Promise<CheckedEntries> {
  const since = Math.max(0, (kept === undefined ? now.size : kept.size) - 1);
  const begin = Math.max(since, now.size - most, 0);
  const peaks: Uint8Array[] = [];
  for (const range of peakRanges(begin)) peaks.push(await rangeRoot(range, now.size, hashes));
  const log = new CompactRange(begin, peaks);
  let before: { readonly header: BatchHeader; readonly bytes: Uint8Array } | undefined;
  const bad = (problem: string, entry?: Uint8Array): CheckedEntries => ({
    problem,
    entry,
    closedAt: before?.header.closedAt,
  });
  for (let bundle = Math.floor(begin / TILE_WIDTH); bundle * TILE_WIDTH < now.size; bundle++) {
    const width = Math.min(TILE_WIDTH, now.size - bundle * TILE_WIDTH);
    for (const [at, bytes] of (await entries(bundle, width)).entries()) {
      const batch = bundle * TILE_WIDTH + at;
      if (batch < begin) continue;
      const header = decodeBatchHeader(bytes);
      if (header === undefined) return bad(`entry ${batch} is no batch header`, bytes);
      const problem = headerProblem(header, batch, logId, before);
      if (problem !== undefined) return bad(`batch ${batch} ${problem}`, bytes);
      before = { header, bytes };
      log.append(leafHash(bytes));
      if (log.size === kept?.size && !equalBytes(log.root(), kept.root))
        return bad(`the entries up to batch ${batch} do not lead to the root of the kept checkpoint`);
    }
  }
  const isPassedOver = kept !== undefined && begin > kept.size;
  return equalBytes(log.root(), now.root)
    ? {
        problem: undefined,
        closedAt: before?.header.closedAt,
        ...(isPassedOver && { passedOver: [kept.size, begin - 1] as const }),
      }
    : bad('the entries do not lead to the signed root');
}

/**
 * Returns why a header does not follow the one before (docs/formats.md, "Batch header").
 * @param before undefined at batch 0 or when unknown
 */
function headerProblem(
  header: BatchHeader,
  batch: number,
  logId: Uint8Array,
  before: { readonly header: BatchHeader; readonly bytes: Uint8Array } | undefined,
): string | undefined {
  if (header.batch !== batch) return `has the number ${header.batch}`;
  if (!equalBytes(header.logId, logId)) return `is of the log ${toHex(header.logId)}`;
  if (batch > 0 && before === undefined) return undefined;
  if (before !== undefined && header.closedAt < before.header.closedAt)
    return 'was closed before the batch before it';
  const previous = before === undefined ? new Uint8Array(32) : batchHeaderHash(before.bytes);
  if (!equalBytes(header.previousHash, previous)) return 'does not name the header before';
  const total = (before?.header.totalLeaves ?? 0) + header.leafCount;
  return header.totalLeaves === total
    ? undefined
    : `counts ${header.totalLeaves} leaves of all batches, not ${total}`;
}

/** Returns the perfect subtrees that cover `size` leaves, the largest first. */
function peakRanges(size: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  for (let begin = 0; begin < size; begin = ranges.at(-1)![1])
    ranges.push([begin, begin + 2 ** Math.floor(Math.log2(size - begin))]);
  return ranges;
}

/** Returns the entries of a bundle of batch headers; undefined for another form. */
export function decodeHeaderBundle(bytes: Uint8Array, width: number): Uint8Array[] | undefined {
  const step = 2 + BATCH_HEADER_BYTES;
  if (bytes.length !== width * step) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += step) {
    if (view.getUint16(at) !== BATCH_HEADER_BYTES) return undefined;
    entries.push(bytes.slice(at + 2, at + step));
  }
  return entries;
}
