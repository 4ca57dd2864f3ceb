import { sha256 } from '#sha256';
import { ByteWriter, readU64 } from '../bytes/byte-writer.ts';
import { equalBytes, utf8 } from '../bytes/bytes.ts';
import { leafHash, merkleRoot } from './merkle.ts';

/** A batch of the log; hashes are 32 bytes. */
export interface BatchHeader {
  readonly logId: Uint8Array;
  /** Counts from 0. */
  readonly batch: number;
  /** `batchHeaderHash` of the batch before; zeros at batch 0. */
  readonly previousHash: Uint8Array;
  /** Milliseconds since 1970. */
  readonly closedAt: number;
  readonly leafCount: number;
  readonly leafRoot: Uint8Array;
  /** Subjects in the map of heads; 0 while no map is built. */
  readonly mapSize: number;
  /** Zeros while no map is built. */
  readonly mapRoot: Uint8Array;
  /** Leaves of batches 0 to this one. */
  readonly totalLeaves: number;
}

export const BATCH_HEADER_BYTES = 182;
const HEADER_DOMAIN = utf8('sentinel/batch/v1\0');

/** Returns the 182 bytes of `docs/formats.md`. @throws RangeError when a field has the wrong size */
export function encodeBatchHeader(header: BatchHeader): Uint8Array {
  return new ByteWriter(BATCH_HEADER_BYTES)
    .raw(HEADER_DOMAIN)
    .bytes32(header.logId)
    .u64(header.batch)
    .bytes32(header.previousHash)
    .u64(header.closedAt)
    .u32(header.leafCount)
    .bytes32(header.leafRoot)
    .u64(header.mapSize)
    .bytes32(header.mapRoot)
    .u64(header.totalLeaves)
    .view();
}

/** Decodes a header. Returns undefined for another length or beginning, or a number above 2^53 − 1. */
export function decodeBatchHeader(bytes: Uint8Array): BatchHeader | undefined {
  if (bytes.length !== BATCH_HEADER_BYTES || !equalBytes(bytes.subarray(0, 18), HEADER_DOMAIN))
    return undefined;
  const batch = readU64(bytes, 50);
  const closedAt = readU64(bytes, 90);
  const mapSize = readU64(bytes, 134);
  const totalLeaves = readU64(bytes, 174);
  if (batch === undefined || closedAt === undefined || mapSize === undefined || totalLeaves === undefined)
    return undefined;
  return {
    logId: bytes.slice(18, 50),
    batch,
    previousHash: bytes.slice(58, 90),
    closedAt,
    leafCount: new DataView(bytes.buffer, bytes.byteOffset).getUint32(98),
    leafRoot: bytes.slice(102, 134),
    mapSize,
    mapRoot: bytes.slice(142, 174),
    totalLeaves,
  };
}

/** Returns H of the 182 bytes, which the next header (`previousHash`) and the anchor transaction contain. */
export function batchHeaderHash(header: Uint8Array): Uint8Array {
  if (header.length !== BATCH_HEADER_BYTES) throw new RangeError('a batch header has 182 bytes');
  return sha256(header);
}

/** Root of the log: the RFC 6962 tree whose leaf data are the headers' 182 bytes, batch 0 first. */
export function logRoot(headers: readonly Uint8Array[]): Uint8Array {
  return merkleRoot(headers.map(leafHash));
}
