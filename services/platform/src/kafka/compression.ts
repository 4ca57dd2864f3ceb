import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { codeOf } from '@sentinel-node/contracts/thrown';
import { Decompress } from 'fzstd';
import kafkajs from 'kafkajs';
import snappyjs from 'snappyjs';
import { endOfLz4Frame, endOfZstdFrame } from './compressed-frame.ts';
import { KAFKA_LIMITS } from './options.ts';

/** Limit for the decompressed records of a batch, in bytes; a small batch can declare any size. */
const LIMIT_BYTES = KAFKA_LIMITS.decodedBatchBytes;

type Decompressor = (bytes: Buffer) => Buffer | Promise<Buffer>;

const inflate = promisify(gunzip);

const DECOMPRESSORS: Readonly<Record<1 | 2 | 3 | 4, Decompressor>> = {
  [kafkajs.CompressionTypes.GZIP]: (bytes) =>
    inflate(bytes, { maxOutputLength: LIMIT_BYTES }).catch(tooLarge),
  [kafkajs.CompressionTypes.Snappy]: decompressSnappy,
  [kafkajs.CompressionTypes.LZ4]: decompressLz4,
  [kafkajs.CompressionTypes.ZSTD]: decompressZstd,
};

/**
 * Registers decompressors for every kafkajs client of this thread. kafkajs has only gzip, without a limit, but brokers
 * and topics may be set to compress records (`compression.type`). This system writes no compressed records.
 */
export function registerDecompressors(): void {
  for (const [type, decompress] of Object.entries(DECOMPRESSORS))
    kafkajs.CompressionCodecs[Number(type) as 1 | 2 | 3 | 4] = () => ({
      compress: () => Promise.reject(new Error('records are written without compression')),
      decompress: async (bytes: Buffer) => decompress(bytes),
    });
}

/** Frames of snappy-java, which Kafka's own producers and brokers write: https://github.com/xerial/snappy-java */
const SNAPPY_JAVA = { magic: Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]), headerBytes: 16 };
const LENGTH_BYTES = 4;

/** Decompresses frames, and also a single block without frames, which librdkafka writes. */
function decompressSnappy(bytes: Buffer): Buffer {
  const { magic, headerBytes } = SNAPPY_JAVA;
  if (!bytes.subarray(0, magic.length).equals(magic)) return snappyjs.uncompress(bytes, LIMIT_BYTES);
  const parts: Buffer[] = [];
  let left = LIMIT_BYTES;
  for (let at = headerBytes; at < bytes.length;) {
    const from = at + LENGTH_BYTES;
    at = from + (from <= bytes.length ? bytes.readUInt32BE(from - LENGTH_BYTES) : Infinity);
    if (at > bytes.length) throw new Error('the records are cut off');
    const part = snappyjs.uncompress(bytes.subarray(from, at), left);
    left -= part.length;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Decompresses after a check of the size that the frame declares, because the package has no limit. */
async function decompressLz4(bytes: Buffer): Promise<Buffer> {
  const { end, outputBytes } = endOfLz4Frame(bytes);
  if (outputBytes > LIMIT_BYTES) tooLarge();
  // A native module: a machine without it works as long as no batch uses this compression.
  const { decompressFrame } = await import('lz4-napi');
  return decompressFrame(bytes.subarray(0, end));
}

function decompressZstd(bytes: Buffer): Buffer {
  const { end, windowBytes } = endOfZstdFrame(bytes);
  if (windowBytes > LIMIT_BYTES) tooLarge();
  const parts: Uint8Array[] = [];
  let size = 0;
  const stream = new Decompress((part) => {
    size += part.length;
    if (size > LIMIT_BYTES) tooLarge();
    parts.push(part);
  });
  stream.push(bytes.subarray(0, end), true);
  return Buffer.concat(parts, size);
}

function tooLarge(cause?: unknown): never {
  if (cause !== undefined && codeOf(cause) !== 'ERR_BUFFER_TOO_LARGE') throw cause;
  throw new Error(`the records take more than ${LIMIT_BYTES} bytes when they are not compressed`);
}
