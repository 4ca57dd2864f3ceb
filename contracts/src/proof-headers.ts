/** Bare block headers from elsewhere than the proof: what a transaction is in a block of. */
import { doubleSha256, shownHash } from './proof-transaction.ts';

export const BLOCK_HEADER_BYTES = 80;

/** A block that the verifier knows: shipped with it, or given. Before the first block: height −1, hash of zeros. */
export interface HeaderCheckpoint {
  readonly height: number;
  /** As explorers show it, hex. */
  readonly hash: string;
  /** Compact target of the block. */
  readonly bits: number;
}

export interface BlockHeader {
  /** As hashed. */
  readonly hash: Uint8Array;
  readonly previous: Uint8Array;
  readonly root: Uint8Array;
  /** Seconds since 1970. */
  readonly time: number;
  readonly bits: number;
}

/** Headers that follow a checkpoint, checked. */
export interface HeaderChain {
  readonly tipHeight: number;
  /** Seconds since 1970. */
  readonly tipTime: number;
  /** Hashes that it takes on average to make these headers. */
  readonly work: bigint;
  /** The 80 bytes; undefined outside of the chain. */
  headerAt(height: number): Uint8Array | undefined;
}

export type HeaderProblem =
  'BEFORE_FORK' | 'NOT_HEADERS' | 'TOO_MANY_HEADERS' | 'NOT_LINKED' | 'NO_WORK' | 'TOO_EASY';

/** First block of this chain alone: BTC, BCH and BSV have those before in common. */
export const FIRST_OWN_BLOCK = 556_767;
const MAX_HEADERS = 4_000_000;
/** How far the target may lie above the checkpoint's. */
const EASIER = 4n;
const MANTISSA = 0x007f_ffff;
const SIGN = 0x0080_0000;

/** undefined unless there are 80 bytes. Neither links nor work are checked. */
export function parseBlockHeader(bytes: Uint8Array): BlockHeader | undefined {
  if (bytes.length !== BLOCK_HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return {
    hash: doubleSha256(bytes),
    previous: bytes.slice(4, 36),
    root: bytes.slice(36, 68),
    time: view.getUint32(68, true),
    bits: view.getUint32(72, true),
  };
}

/** The target that compact `bits` stand for; undefined when they stand for none (zero, negative, above 2^256). */
export function targetOf(bits: number): bigint | undefined {
  const exponent = bits >>> 24;
  const mantissa = bits & MANTISSA;
  if ((bits & SIGN) !== 0 || mantissa === 0) return undefined;
  const target =
    exponent <= 3 ? BigInt(mantissa >> (8 * (3 - exponent))) : BigInt(mantissa) << BigInt(8 * (exponent - 3));
  return target > 0n && target < 1n << 256n ? target : undefined;
}

/** Whether the hash of the header, as a number, is at most its own target. */
export function hasWork({ hash, bits }: BlockHeader): boolean {
  const target = targetOf(bits);
  return target !== undefined && BigInt(`0x${shownHash(hash)}`) <= target;
}

/**
 * @param headers consecutive headers without anything between; the first follows the checkpoint
 * @param network `main` has to begin after the fork of 2018
 */
export function checkHeaders(
  headers: Uint8Array,
  checkpoint: HeaderCheckpoint,
  network: string,
): HeaderChain | HeaderProblem {
  const count = headers.length / BLOCK_HEADER_BYTES;
  if (!Number.isInteger(count) || count === 0) return 'NOT_HEADERS';
  if (count > MAX_HEADERS) return 'TOO_MANY_HEADERS';
  if (network === 'main' && checkpoint.height < FIRST_OWN_BLOCK) return 'BEFORE_FORK';
  const easiest = (targetOf(checkpoint.bits) ?? 0n) * EASIER;
  const bytesAt = (index: number): Uint8Array =>
    headers.slice(index * BLOCK_HEADER_BYTES, (index + 1) * BLOCK_HEADER_BYTES);
  let before = checkpoint.hash;
  let work = 0n;
  let time = 0;
  for (let index = 0; index < count; index++) {
    const header = parseBlockHeader(bytesAt(index))!;
    if (shownHash(header.previous) !== before) return 'NOT_LINKED';
    if (!hasWork(header)) return 'NO_WORK';
    const target = targetOf(header.bits)!;
    if (target > easiest) return 'TOO_EASY';
    before = shownHash(header.hash);
    work += (1n << 256n) / (target + 1n);
    time = header.time;
  }
  const first = checkpoint.height + 1;
  const headerAt = (height: number): Uint8Array | undefined =>
    Number.isInteger(height) && height >= first && height < first + count
      ? bytesAt(height - first)
      : undefined;
  return { tipHeight: checkpoint.height + count, tipTime: time, work, headerAt };
}
