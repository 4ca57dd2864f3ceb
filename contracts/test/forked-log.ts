/** Two logs of one key that are the same up to a batch, with a file whose later entries are in later batches of either. */
import { fromHex, toHex } from '../src/bytes/bytes.ts';
import { leafHash } from '../src/log/merkle.ts';
import { consistencyPath } from '../src/log/merkle-consistency.ts';
import type { Bundle, BundleBatch } from '../src/proof/bundle.ts';
import { CONSISTENCY_FORMAT, type Consistency } from '../src/proof/check-one-log.ts';
import { checkHeaders, type HeaderChain } from '../src/proof/headers.ts';
import type { Proof } from '../src/proof/proof.ts';
import { batchOf } from './bundle-vectors.ts';
import { blockBytes, coinbaseBytes } from './ledger-bytes.ts';
import { anchors, proofOf, type LogInputs } from './proof-vectors.ts';
import { RECORDED_NETWORK } from './proof-support.ts';
import * as given from './vector-inputs.ts';
import { leavesOf, logInputs } from './vectors.ts';

/** Batches before the logs differ: a checkpoint of this size is of both. */
export const SHARED = 5;
const FILE = 1;
/** Batch of each entry of the file. */
const PLACES = [7, 7, 9, 9, 10] as const;
const BATCHES = 11;

function madeLog(isFork: boolean): LogInputs {
  const own = leavesOf(given.FILES[FILE], 'FILE', PLACES.length);
  const others = leavesOf(given.FILES[0], 'FILE', SHARED + 1);
  const parts = Array.from({ length: BATCHES }, (_, batch) => own.filter((_leaf, n) => PLACES[n] === batch));
  for (let batch = 0; batch < SHARED; batch++) parts[batch]!.push(others[batch]!);
  if (isFork) parts[SHARED]!.push(others[SHARED]!);
  return logInputs(parts);
}

/** A log with its anchors. */
export interface Ledgered {
  readonly log: LogInputs;
  readonly sent: readonly Buffer[];
}
const anchored = (log: LogInputs, unlocking?: (batch: number) => Buffer): Ledgered => ({
  log,
  sent: anchors(log, unlocking),
});
export const trunk = anchored(madeLog(false));
export const fork = anchored(madeLog(true));
/** Copies of the trunk's anchors, in other transactions. */
export const copies = anchored(trunk.log, (batch) => Buffer.alloc(100, batch + 1));

const KNOWN = { height: 700_000, hash: 'ab'.repeat(32), bits: 0x207fffff };
const START_SECONDS = Date.UTC(2026, 10, 21, 12) / 1_000;
/** A block for each batch of each log, in one chain. */
const blocks = (() => {
  let previous = KNOWN.hash;
  return [trunk, fork, copies].map(({ sent }, chain) =>
    sent.map((transaction, batch) => {
      const height = KNOWN.height + 1 + chain * sent.length + batch;
      const seconds = START_SECONDS + 600 * (height - KNOWN.height);
      const block = blockBytes(height, previous, seconds, [coinbaseBytes(height), transaction]);
      previous = block.hash;
      return block;
    }),
  );
})();
/** Headers that have every block of every log. */
export const allHeaders = checkHeaders(
  Buffer.concat(blocks.flat().map(({ header }) => header)),
  KNOWN,
  RECORDED_NETWORK,
) as HeaderChain;

/** Returns the proof of an entry of the file, as one of the logs has it. */
export function proofIn(of: Ledgered, number: number): Proof {
  const batch = PLACES[number]!;
  const block = blocks[[trunk, fork, copies].indexOf(of)]![batch]!;
  return proofOf(of.log, { file: FILE, number, batch }, of.sent, block);
}

/** Returns a bundle of two batches, each of a log. @param numbers of the entries in each */
export function bundleIn(
  [first, second]: readonly [Ledgered, Ledgered],
  [own, next]: readonly [readonly number[], readonly number[]],
): Bundle {
  const parts = [
    { of: first, numbers: own },
    { of: second, numbers: next },
  ];
  const proofs = parts.flatMap(({ numbers, of }) => numbers.map((number) => proofIn(of, number)));
  const { log, subject, entry } = proofs[0]!;
  return {
    format: 'sentinel/bundle/v1',
    state: 'MINED',
    completeness: 'RANGE',
    log,
    subject,
    from: entry.number,
    to: proofs.at(-1)!.entry.number,
    previous: entry.previous,
    entries: proofs.map(({ entry: { previous: _, ...rest } }) => rest),
    batches: parts.map(({ numbers, of }): BundleBatch => {
      const [from, to] = [numbers[0]!, numbers.at(-1)!];
      const part = { file: FILE, from, to, batch: PLACES[from]!, block: 0 } as const;
      return batchOf(of.log, part, proofIn(of, from));
    }),
    blocks: parts.map(({ numbers, of }) => {
      const { bump: _, ...block } = proofIn(of, numbers[0]!).block!;
      return block;
    }),
  };
}

/** Returns the bundle before any transaction of it is sent. */
export const asCut = (bundle: Bundle): Bundle => ({
  ...bundle,
  state: 'CUT',
  batches: bundle.batches.map((batch) => ({ ...batch, transaction: null, block: null })),
  blocks: [],
});

/** Checkpoint that a checker kept before the logs differed. */
export const kept = trunk.log.batches[SHARED - 1]!.note;
/** Returns the proof that a log continues the kept checkpoint up to a batch. */
export function consistencyOf({ log }: Ledgered, batch: number): Consistency {
  const headers = log.batches.slice(0, batch + 1).map(({ headerBytes }) => leafHash(fromHex(headerBytes)));
  const path = consistencyPath(headers, SHARED).map(toHex);
  return { format: CONSISTENCY_FORMAT, from: SHARED, to: batch + 1, path };
}
