import { createGunzip } from 'node:zlib';
import type { Holding } from '@sentinel-node/platform';

const LEAST_CHUNK_BYTES = 16 * 1_024;
const MOST_CHUNK_BYTES = 256 * 1_024;
const ISIZE_BYTES = 4;
/** Room behind the body, because zlib finds its end only with room left. */
const END_BYTES = 64;

export interface UnpackLimits {
  /** Limit after decompression, in bytes. */
  readonly maxBytes: number;
  /** Holds the compressed bytes; takes what the body has more. */
  readonly share: Pick<Holding, 'take'>;
}

/**
 * Decompresses a body (gzip, RFC 1952).
 * @returns undefined when the body is larger than its limit
 * @throws Error of zlib @throws OverloadedError of the share
 */
export async function unpack(packed: Buffer, { maxBytes, share }: UnpackLimits): Promise<Buffer | undefined> {
  const chunkSize = chunkBytes(packed);
  const gunzip = createGunzip({ chunkSize });
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The share holds the compressed bytes already.
  let held = packed.length;
  gunzip.end(packed);
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    if (bytes > held) {
      share.take(bytes - held);
      held = bytes;
    }
    chunks.push(chunk);
  }
  const [first] = chunks;
  // A copy lets go of a buffer that is mostly empty, and that no share counts.
  return first?.length === bytes && bytes * 2 >= chunkSize ? first : Buffer.concat(chunks, bytes);
}

/**
 * Returns the bytes of one buffer of decompression: those of the body by its trailer (RFC 1952, ISIZE), and some to
 * find its end in, so that most bodies need one buffer and no copy. A trailer that lies costs a copy, and steps of the
 * least size, which is zlib's own.
 */
function chunkBytes(packed: Buffer): number {
  const size = packed.length < ISIZE_BYTES ? 0 : packed.readUInt32LE(packed.length - ISIZE_BYTES);
  return Math.min(Math.max(size + END_BYTES, LEAST_CHUNK_BYTES), MOST_CHUNK_BYTES);
}
