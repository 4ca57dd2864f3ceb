import { sha256 } from '#sha256';
import { ByteWriter, type Bytes32 } from './byte-writer.ts';
import { compareBytes, utf8 } from './bytes.ts';
import { SUBJECT_TYPE, type SubjectType } from './codes.ts';
import { leafHashOf, type RootHasher } from './merkle.ts';

/** An entry as a batch holds it. */
export interface BatchLeaf {
  readonly mapKey: Uint8Array;
  readonly number: number;
  readonly linkHash: Uint8Array;
}

const KEY_DOMAIN = utf8('sentinel/key/v1\0');
const LEAF_DOMAIN = utf8('sentinel/leaf/v1\0');
const KEY_BYTES = 65;
const LEAF_BYTES = 89;

const keyWriter = new ByteWriter(KEY_BYTES);

/** H("sentinel/key/v1\0" ‖ logId ‖ subjectType ‖ subject). @throws RangeError when a field has the wrong size */
export function mapKey(logId: Bytes32, subjectType: SubjectType, subject: string): Uint8Array {
  return sha256(
    keyWriter.reset().raw(KEY_DOMAIN).bytes32(logId).u8(SUBJECT_TYPE[subjectType]).uuid(subject).view(),
  );
}

/** "sentinel/leaf/v1\0" ‖ mapKey ‖ number u64 ‖ linkHash: what `leafHash` takes. */
export function leafData(key: Bytes32, number: number, linkHash: Bytes32): Uint8Array {
  return writeLeaf(new ByteWriter(LEAF_BYTES), key, number, linkHash).view();
}

/** `leafHash` of `leafData`, for many. */
export function entryLeafHash(key: Bytes32, number: number, linkHash: Bytes32): Uint8Array {
  return leafHashOf((writer) => writeLeaf(writer, key, number, linkHash));
}

/** Appends the leaves of consecutive entries of one subject. @param first number of the first entry */
export function appendEntryLeaves(
  tree: RootHasher,
  key: Bytes32,
  first: number,
  linkHashes: readonly Bytes32[],
): void {
  tree.append(
    linkHashes.length,
    (writer) => writer.raw(LEAF_DOMAIN).bytes32(key),
    (writer, index) => writer.u64(first + index).bytes32(linkHashes[index]!),
  );
}

function writeLeaf(writer: ByteWriter, key: Bytes32, number: number, linkHash: Bytes32): ByteWriter {
  return writer.raw(LEAF_DOMAIN).bytes32(key).u64(number).bytes32(linkHash);
}

/**
 * The leaves in the order of a batch, by (mapKey, number), whatever partitions they came from. The argument stays.
 * @throws RangeError when an entry occurs twice
 */
export function sortLeaves<Leaf extends BatchLeaf>(leaves: readonly Leaf[]): Leaf[] {
  const sorted = leaves.toSorted(compareLeaves);
  for (let i = 1; i < sorted.length; i++) {
    if (compareLeaves(sorted[i - 1]!, sorted[i]!) === 0)
      throw new RangeError(`entry ${sorted[i]!.number} is in the batch twice`);
  }
  return sorted;
}

function compareLeaves(a: BatchLeaf, b: BatchLeaf): number {
  return compareBytes(a.mapKey, b.mapKey) || a.number - b.number;
}
