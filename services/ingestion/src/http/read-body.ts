import { createGunzip } from 'node:zlib';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@sentinel-node/platform';
import type { BudgetShare } from '../body-budget.ts';

export interface BodyLimits {
  /** As sent, and after decompression. */
  readonly maxBytes: number;
  readonly gzip: boolean;
  readonly share: BudgetShare;
}

const DECOMPRESSED_CHUNK_BYTES = 256 * 1_024;

/**
 * The whole body of a request that nobody has read from yet.
 * @throws ApiError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED, REQUEST_TIMEOUT (it broke off)
 * @throws OverloadedError when too many bytes of bodies are held
 */
export function readBody(raw: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (Number(raw.headers['content-length'] ?? 0) > limits.maxBytes)
    return Promise.reject(new ApiError('PAYLOAD_TOO_LARGE'));
  const encoding = raw.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return readPlain(raw, limits);
  if (encoding === 'gzip' && limits.gzip) return readGzip(raw, limits);
  return Promise.reject(new ApiError('UNSUPPORTED_MEDIA_TYPE', 'This content encoding is not supported.'));
}

/** Text of a body; undefined when it is not UTF-8. */
export function textOf(body: Buffer): string | undefined {
  return isUtf8(body) ? body.toString('utf8') : undefined;
}

function readPlain(raw: IncomingMessage, { maxBytes, share }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (error: unknown): void => {
      raw.off('data', take).off('end', end).off('close', broken);
      reject(error as Error);
    };
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) return stop(new ApiError('PAYLOAD_TOO_LARGE'));
      try {
        share.take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        stop(error);
      }
    };
    const end = (): void => {
      raw.off('close', broken);
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes));
    };
    const broken = (): void => stop(brokenOff());
    raw.on('data', take).once('end', end).once('close', broken).on('error', ignore);
  });
}

async function readGzip(raw: IncomingMessage, { maxBytes, share }: BodyLimits): Promise<Buffer> {
  const gunzip = createGunzip({ chunkSize: DECOMPRESSED_CHUNK_BYTES });
  // Empty members decompress to nothing, so what comes in needs a limit of its own.
  let compressedBytes = 0;
  const count = (chunk: Buffer): void => {
    compressedBytes += chunk.length;
    if (compressedBytes > maxBytes) gunzip.destroy(new ApiError('PAYLOAD_TOO_LARGE'));
  };
  const broken = (): void => void gunzip.destroy(brokenOff());
  raw.on('data', count).once('close', broken).on('error', ignore);
  raw.once('end', () => raw.off('close', broken));
  raw.pipe(gunzip);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new ApiError('PAYLOAD_TOO_LARGE');
      share.take(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw isZlibError(error) ? notGzip() : error;
  } finally {
    raw.unpipe(gunzip);
    raw.off('data', count).off('close', broken);
  }
  return Buffer.concat(chunks, bytes);
}

/** `close` follows and says it. Without a listener the error would end the process. */
function ignore(): void {}

function brokenOff(): ApiError {
  return new ApiError('REQUEST_TIMEOUT', 'The body did not arrive whole.');
}

function isZlibError(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code !== undefined && code.startsWith('Z_');
}

function notGzip(): ApiError {
  const message = 'must be gzip, whole and unbroken';
  return new ApiError('VALIDATION_FAILED', 'The body is not valid.', [{ path: '', message }]);
}
