/** Bundle: the proofs of a subject's entries between two numbers, with shared parts written once (docs/formats.md). */
import { Type, type Static } from 'typebox';
import { decodeBatchHeader } from '../log/batch-header.ts';
import { entryLeafHash, mapKey } from '../log/batch-leaves.ts';
import { fromHex, toHex } from '../bytes/bytes.ts';
import { pathsOfRange } from '../log/merkle-range.ts';
import {
  PROOF_FORMAT,
  PROOF_STATES,
  ProofBatchSchema,
  ProofBlockSchema,
  ProofEntrySchema,
  ProofLogSchema,
  ProofSubjectSchema,
  ProofTransactionSchema,
  stateOfParts,
  type Proof,
} from './proof.ts';
import { PROOF_LIMITS } from '../proof-limits.ts';
import { oneOf } from '../enums.ts';
import { closed, CountSchema, HashSchema, nullable } from '../schemas/common.ts';
import { claimedFormat, readStrictJson, type StrictJson } from '../bytes/strict-json.ts';

export const BUNDLE_FORMAT = 'sentinel/bundle/v1';

/** Returns true when a document claims to be a bundle. The larger limit applies to it. */
export const isBundle = (document: Uint8Array): boolean => claimedFormat(document) === BUNDLE_FORMAT;

/** Limits of a document. `documentBytes` and `nesting` are checked before parsing. */
export const BUNDLE_LIMITS = { documentBytes: 8_388_608, nesting: 6, entries: 1_000 } as const;

const { previous: previousField, ...entryFields } = ProofEntrySchema.properties;
const { leafHash: _leaf, leafPath: _path, ...batchFields } = ProofBatchSchema.properties;
const { bump: bumpField, ...blockFields } = ProofBlockSchema.properties;

/** Entry as in a proof, without `previous`: that is the link hash of the preceding entry in the list. */
export const BundleEntrySchema = closed(entryFields);
export type BundleEntry = Static<typeof BundleEntrySchema>;

/** Batch with the subject's entries `from` to `to`, which are its leaves from `leafIndex` on. */
export const BundleBatchSchema = closed({
  from: CountSchema,
  to: CountSchema,
  ...batchFields,
  /** Nodes of the batch's tree beside these leaves: the lowest level first, left before right. */
  nodes: Type.Array(HashSchema, { maxItems: 2 * PROOF_LIMITS.treeDepth }),
  transaction: nullable(ProofTransactionSchema),
  /** `hash` names one of the bundle's blocks. */
  block: nullable(closed({ hash: HashSchema, bump: bumpField })),
});
export type BundleBatch = Static<typeof BundleBatchSchema>;

export const BundleBlockSchema = closed(blockFields);
export type BundleBlock = Static<typeof BundleBlockSchema>;

export const BundleSchema = closed({
  format: Type.Literal(BUNDLE_FORMAT),
  /** State of the entry with the least progress. */
  state: oneOf(PROOF_STATES),
  /** Every entry from `from` to `to` is present. The bundle does not show that `to` is the newest. */
  completeness: Type.Literal('RANGE'),
  log: ProofLogSchema,
  subject: ProofSubjectSchema,
  from: CountSchema,
  to: CountSchema,
  previous: previousField,
  entries: Type.Array(BundleEntrySchema, { minItems: 1, maxItems: BUNDLE_LIMITS.entries }),
  /** Entries after those of the last batch still wait for a batch. */
  batches: Type.Array(BundleBatchSchema, { maxItems: BUNDLE_LIMITS.entries }),
  blocks: Type.Array(BundleBlockSchema, { maxItems: BUNDLE_LIMITS.entries }),
});
export type Bundle = Static<typeof BundleSchema>;

/** Returns the bundle, or the problem of the document. @param document UTF-8 */
export function readBundle(document: Uint8Array): StrictJson<Bundle> {
  return readStrictJson(document, BundleSchema, BUNDLE_LIMITS);
}

export interface PlacedProof {
  readonly proof: Proof;
  /** False when the number of leaves and nodes of its batch is wrong; the proof then has an empty path. */
  readonly isPlaced: boolean;
}

/** Returns a standalone proof of each entry, in the order of the list. Does not check the statements of the bundle. */
export function proofsOfBundle(bundle: Bundle): PlacedProof[] {
  const { entries, log, previous, subject } = bundle;
  const parts = partsOf(bundle);
  return entries.map((entry, at) => {
    const { isPlaced, ...own } = parts[at] ?? WAITING;
    const proof: Proof = {
      format: PROOF_FORMAT,
      state: stateOfParts(own) ?? 'PENDING',
      completeness: 'NOT_SHOWN',
      log,
      subject,
      entry: { ...entry, previous: at === 0 ? previous : entries[at - 1]!.linkHash },
      ...own,
    };
    return { proof, isPlaced };
  });
}

type Parts = Pick<Proof, 'batch' | 'transaction' | 'block'> & { readonly isPlaced: boolean };
const WAITING: Parts = { batch: null, transaction: null, block: null, isPlaced: true };

/** Returns the parts of the leading entries. Each entry is in one batch only, so the work is linear in the document. */
function partsOf(bundle: Bundle): Parts[] {
  const { batches, blocks, entries } = bundle;
  const byHash = new Map(blocks.map((block) => [block.hash, block]));
  const parts: Parts[] = [];
  for (const batch of batches) {
    const own: BundleEntry[] = [];
    for (const entry of entries.slice(parts.length, parts.length + batch.to - batch.from + 1)) {
      if (entry.number < batch.from || entry.number > batch.to) break;
      own.push(entry);
    }
    parts.push(...partsOfBatch(bundle, batch, own, blockOf(batch, byHash)));
  }
  return parts;
}

function partsOfBatch(
  { log, subject }: Bundle,
  { checkpoint, header, leafIndex, logPath, nodes, transaction }: BundleBatch,
  entries: readonly BundleEntry[],
  block: Proof['block'],
): Parts[] {
  const key = mapKey(log.logId, subject.type, subject.id);
  const leaves = entries.map(({ linkHash, number }) => entryLeafHash(key, number, linkHash));
  const size = decodeBatchHeader(fromHex(header))?.leafCount ?? 0;
  const paths = pathsOfRange(leaves, leafIndex, size, nodes.map(fromHex));
  return leaves.map((leaf, at) => {
    const leafPath = paths?.[at]?.map(toHex) ?? [];
    const place = { leafHash: toHex(leaf), leafIndex: leafIndex + at, leafPath };
    const batch = { ...place, header, logPath, checkpoint };
    return { batch, transaction, block, isPlaced: paths !== undefined };
  });
}

function blockOf({ block }: BundleBatch, byHash: ReadonlyMap<string, BundleBlock>): Proof['block'] {
  const found = block === null ? undefined : byHash.get(block.hash);
  return block === null || found === undefined ? null : { ...found, bump: block.bump };
}
