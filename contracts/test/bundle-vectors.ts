/** Makes bundles of the chains of the inputs: in one batch, in two, in part, with entries that wait. */
import { fromHex, toHex } from '../src/bytes/bytes.ts';
import { merkleLevels } from '../src/log/merkle.ts';
import { nodesBeside } from '../src/log/merkle-range.ts';
import type { Bundle, BundleBatch } from '../src/proof/bundle.ts';
import type { Proof, ProofState } from '../src/proof/proof.ts';
import { anchors, blocks, proofOf, proofVectors, type LogInputs } from './proof-vectors.ts';
import * as given from './vector-inputs.ts';

/** Numbers of a file in one batch, and the block (of `blocks`) with the batch. */
export interface Part {
  readonly file: 0 | 1;
  readonly from: number;
  readonly to: number;
  readonly batch: number;
  readonly block: number;
  /** Present when no transaction was sent. */
  readonly isCut?: true;
}
const FIRST: Part = { file: 0, from: 0, to: 6, batch: 0, block: 0 };
const SECOND: readonly Part[] = [
  { file: 1, from: 0, to: 0, batch: 1, block: 2 },
  { file: 1, from: 1, to: 6, batch: 3, block: 2 },
];

export function bundleVectors(log: LogInputs) {
  const { checkpoint, headers, trust } = proofVectors(log);
  const [one, rest] = SECOND as [Part, Part];
  const bundles: [string, Bundle][] = [
    ['of two batches in one block', bundleOf(log, SECOND)],
    ['of one batch', bundleOf(log, [FIRST])],
    ['a part', bundleOf(log, [{ ...rest, from: 2, to: 4 }])],
    ['one entry', bundleOf(log, [{ ...rest, from: 5, to: 5 }])],
    ['the last entries wait', bundleOf(log, SECOND, { to: 10 })],
    ['the last batch is cut', bundleOf(log, [one, { ...rest, isCut: true }])],
  ];
  return { trust, checkpoint, headers, bundles: bundles.map(([name, bundle]) => ({ name, bundle })) };
}

/** @param to last entry of the bundle; entries after the parts have no batch */
function bundleOf(log: LogInputs, parts: readonly Part[], { to = parts.at(-1)!.to } = {}): Bundle {
  const sent = anchors(log);
  const chain = blocks(sent);
  const of = (part: Part, number: number): Proof =>
    proofOf(log, { file: part.file, number, batch: part.batch }, sent, chain[part.block]!);
  const first = of(parts[0]!, parts[0]!.from);
  const { file, from } = parts[0]!;
  const whole = parts.map((part) => ({ part, proof: of(part, part.from) }));
  const mined = whole.filter(({ part }) => part.isCut !== true).map(({ proof }) => proof.block!);
  return {
    format: 'sentinel/bundle/v1',
    state: stateOf(parts, to),
    completeness: 'RANGE',
    log: first.log,
    subject: first.subject,
    from,
    to,
    previous: from === 0 ? '00'.repeat(32) : log.links[file]![from - 1]!,
    entries: given.CHAIN.slice(from, to + 1).map(({ nonce, ...body }, at) => ({
      number: from + at,
      ...body,
      nonce: Buffer.from(nonce).toString('hex'),
      linkHash: log.links[file]![from + at]!,
    })),
    batches: whole.map(({ part, proof }) => batchOf(log, part, proof)),
    blocks: [...new Map(mined.map(({ bump: _, ...block }) => [block.hash, block])).values()],
  };
}

function stateOf(parts: readonly Part[], to: number): ProofState {
  if (to > parts.at(-1)!.to) return 'PENDING';
  return parts.some(({ isCut }) => isCut) ? 'CUT' : 'MINED';
}

export function batchOf(log: LogInputs, { batch, from, isCut, to }: Part, proof: Proof): BundleBatch {
  const { checkpoint, header, leafIndex, logPath } = proof.batch!;
  const leaves = log.batches[batch]!.leaves.map(({ leafHash }) => fromHex(leafHash));
  const levels = merkleLevels(leaves);
  const beside = nodesBeside(leaves.length, leafIndex, leafIndex + to - from);
  return {
    from,
    to,
    leafIndex,
    header,
    logPath,
    checkpoint,
    nodes: beside.map(([height, at]) => toHex(levels[height]![at]!)),
    transaction: isCut ? null : proof.transaction,
    block: isCut ? null : { hash: proof.block!.hash, bump: proof.block!.bump },
  };
}
