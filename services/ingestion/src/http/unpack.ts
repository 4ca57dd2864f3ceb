import { createGunzip, gunzipSync } from 'node:zlib';
import { codeOf } from '@sentinel-node/contracts';
import type { Holding } from '@sentinel-node/platform';

const LEAST_CHUNK_BYTES = 16 * 1_024;
const MOST_CHUNK_BYTES = 256 * 1_024;
/** Most bytes of a body that is decompressed at once, which takes less than a millisecond, before and after it. */
export const SMALL_BYTES = 128 * 1_024;
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
 * Decompresses a small body at once: a thousand agents that come back send many, and each would wait for a turn and a
 * thread.
 * @returns undefined when the body is not small
 * @throws Error of zlib @throws OverloadedError of the share
 */
export function unpackSmall(packed: Buffer, { maxBytes, share }: UnpackLimits): Buffer | undefined {
  const most = Math.min(SMALL_BYTES, maxBytes);
  if (packed.length > most || sizeByTrailer(packed) > most) return undefined;
  const chunkSize = chunkBytes(packed);
  try {
    const body = gunzipSync(packed, { chunkSize, maxOutputLength: most });
    if (body.length > packed.length) share.take(body.length - packed.length);
    return withoutRoom(body, chunkSize);
  } catch (error) {
    // The trailer told of less than there is.
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
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
  return first?.length === bytes ? withoutRoom(first, chunkSize) : Buffer.concat(chunks, bytes);
}

/** Copies a body out of a buffer of `chunkSize` that is mostly empty, and that no share counts. */
function withoutRoom(body: Buffer, chunkSize: number): Buffer {
  return body.length * 2 >= chunkSize ? body : Buffer.from(body);
}

/**
 * Returns the bytes of one buffer of decompression: those of the body by its trailer (RFC 1952, ISIZE), and some to
 * find its end in, so that most bodies need one buffer and no copy. A trailer that lies costs a copy, and steps of the
 * least size, which is zlib's own.
 */
function chunkBytes(packed: Buffer): number {
  return Math.min(Math.max(sizeByTrailer(packed) + END_BYTES, LEAST_CHUNK_BYTES), MOST_CHUNK_BYTES);
}

function sizeByTrailer(packed: Buffer): number {
  return packed.length < ISIZE_BYTES ? 0 : packed.readUInt32LE(packed.length - ISIZE_BYTES);
}
