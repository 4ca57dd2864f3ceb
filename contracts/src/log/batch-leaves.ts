import { sha256, sha256Into } from '#sha256';
import { ByteWriter, type Bytes32 } from '../bytes/byte-writer.ts';
import { bytesPrefix, compareBytes, utf8 } from '../bytes/bytes.ts';
import { SUBJECT_TYPE, type SubjectType } from '../codes.ts';
import { LEAF_PREFIX, leafHashOf, type RootHasher } from './merkle.ts';

/** Entry of a batch; hashes are 32 bytes. */
export interface BatchLeaf {
  readonly mapKey: Uint8Array;
  readonly number: number;
  readonly linkHash: Uint8Array;
}

const KEY_DOMAIN = utf8('sentinel/key/v1\0');
const LEAF_DOMAIN = utf8('sentinel/leaf/v1\0');
const KEY_BYTES = 65;
const LEAF_BYTES = 89;
const HASH_BYTES = 32;

const keyWriter = new ByteWriter(KEY_BYTES);
const leafWriter = new ByteWriter(1 + LEAF_BYTES);

/** H("sentinel/key/v1\0" ‖ logId ‖ subjectType ‖ subject). @throws RangeError when a field has the wrong size */
export function mapKey(logId: Bytes32, subjectType: SubjectType, subject: string): Uint8Array {
  return sha256(keyData(logId, subjectType, subject));
}

/** Writes the map key into `target` at `offset`, which saves an array per key. */
export function mapKeyInto(
  target: Uint8Array,
  offset: number,
  logId: Bytes32,
  subjectType: SubjectType,
  subject: string,
): void {
  sha256Into(keyData(logId, subjectType, subject), target, offset);
}

const keyData = (logId: Bytes32, subjectType: SubjectType, subject: string): Uint8Array =>
  keyWriter.reset().raw(KEY_DOMAIN).bytes32(logId).u8(SUBJECT_TYPE[subjectType]).uuid(subject).view();

/**
 * Returns the places, counted from 0, of concatenated map keys in rising order. Compares the first bytes of two keys as
 * numbers, which nearly always decides.
 */
export function orderOfKeys(keys: Uint8Array): Uint32Array {
  const count = keys.length / HASH_BYTES;
  const prefixes = new Float64Array(count).map((_, place) => bytesPrefix(keys, place * HASH_BYTES));
  const order = new Uint32Array(count).map((_, place) => place);
  return order.sort((a, b) => prefixes[a]! - prefixes[b]! || compareBytes(keyAt(keys, a), keyAt(keys, b)));
}

const keyAt = (keys: Uint8Array, place: number): Uint8Array =>
  keys.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);

/** "sentinel/leaf/v1\0" ‖ mapKey ‖ number u64 ‖ linkHash: the input of `leafHash`. */
export function leafData(key: Bytes32, number: number, linkHash: Bytes32): Uint8Array {
  return writeLeaf(new ByteWriter(LEAF_BYTES), key, number, linkHash).view();
}

/** Returns `leafHash` of `leafData` without an array for the data. */
export function entryLeafHash(key: Bytes32, number: number, linkHash: Bytes32): Uint8Array {
  return leafHashOf((writer) => writeLeaf(writer, key, number, linkHash));
}

/**
 * Appends the leaves of consecutive entries of one subject.
 * @param first number of the first entry @param hashes contains the link hashes @param offsets beginning of each hash
 */
export function appendEntryLeaves(
  tree: RootHasher,
  key: Bytes32,
  first: number,
  hashes: Uint8Array,
  offsets: readonly number[],
): void {
  const shared = leafWriter.reset().u8(LEAF_PREFIX).raw(LEAF_DOMAIN).bytes32(key).length;
  for (let i = 0; i < offsets.length; i++) {
    leafWriter
      .truncate(shared)
      .u64(first + i)
      .part(hashes, offsets[i]!, HASH_BYTES);
    tree.append(leafWriter.view());
  }
}

function writeLeaf(writer: ByteWriter, key: Bytes32, number: number, linkHash: Bytes32): ByteWriter {
  return writer.raw(LEAF_DOMAIN).bytes32(key).u64(number).bytes32(linkHash);
}

/**
 * Returns a copy of the leaves in the order of a batch: by map key, then number.
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
