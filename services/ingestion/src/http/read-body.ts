import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { codeOf } from '@sentinel-node/contracts';
import type { BodyPace, FairTurns, Holding } from '@sentinel-node/platform';
import { Refusal } from '../domain/refusal.ts';
import { refusalOf } from '../refusal-of.ts';
import { unpack, unpackSmall } from './unpack.ts';

export interface BodyLimits {
  /** Limit in bytes for the body as sent, and after decompression. */
  readonly maxBytes: number;
  /** Turns at decompression; undefined when gzip is not taken. */
  readonly unpacking: FairTurns | undefined;
  /** Group whose turns the body takes. */
  readonly group: string;
  readonly share: Holding;
  readonly pace: BodyPace;
}

const TOO_LARGE = new Refusal('PAYLOAD_TOO_LARGE');
const BROKEN_OFF = new Refusal('REQUEST_TIMEOUT', { detail: 'The body did not arrive whole.' });
const TOO_SLOW = new Refusal('REQUEST_TIMEOUT', { detail: 'The body came too slowly.' });
const NOT_GZIP = new Refusal('VALIDATION_FAILED', {
  detail: 'The body is not valid.',
  errors: [{ path: '', message: 'must be gzip, whole and unbroken' }],
});

/**
 * Reads the whole body of a request; refused: PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED,
 * REQUEST_TIMEOUT (the body broke off, or is too slow), OVERLOADED (the server or the sender has too many bytes of
 * bodies).
 */
export function readBody(raw: IncomingMessage, limits: BodyLimits): Promise<Buffer | Refusal> {
  if (Number(raw.headers['content-length'] ?? 0) > limits.maxBytes) return Promise.resolve(TOO_LARGE);
  const encoding = raw.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return readPlain(raw, limits);
  if (encoding === 'gzip' && limits.unpacking !== undefined) return readGzip(raw, limits, limits.unpacking);
  const detail = 'This content encoding is not supported.';
  return Promise.resolve(new Refusal('UNSUPPORTED_MEDIA_TYPE', { detail }));
}

/** Returns the text of a body; undefined when it is not UTF-8. */
export function textOf(body: Buffer): string | undefined {
  return isUtf8(body) ? body.toString('utf8') : undefined;
}

function readPlain(raw: IncomingMessage, { maxBytes, share, pace }: BodyLimits): Promise<Buffer | Refusal> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (): void => {
      watched.done();
      raw.off('data', take).off('end', end).off('close', broken);
    };
    const refuse = (refusal: Refusal): void => {
      stop();
      resolve(refusal);
    };
    const watched = pace.watch(() => refuse(TOO_SLOW));
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      watched.received(chunk.length);
      if (bytes > maxBytes) return refuse(TOO_LARGE);
      try {
        share.take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        stop();
        settle(error, resolve, reject);
      }
    };
    const end = (): void => {
      stop();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes));
    };
    const broken = (): void => refuse(BROKEN_OFF);
    raw.on('data', take).once('end', end).once('close', broken).on('error', ignore);
  });
}

/**
 * Reads a compressed body whole, then decompresses it, a large one in its turn: with a buffer for each of a thousand bodies that
 * arrive at once, decompression would take hundreds of MiB that no share counts.
 */
async function readGzip(
  raw: IncomingMessage,
  limits: BodyLimits,
  turns: FairTurns,
): Promise<Buffer | Refusal> {
  const packed = await readPlain(raw, limits);
  if (packed instanceof Refusal) return packed;
  let release: (() => void) | undefined;
  try {
    const small = unpackSmall(packed, limits);
    if (small !== undefined) return small;
    release = await turns.take(limits.group);
    return (await unpack(packed, limits)) ?? TOO_LARGE;
  } catch (error) {
    return isZlibError(error) ? NOT_GZIP : refusalOf(error);
  } finally {
    release?.();
  }
}

/** Ignores an error that `close` reports. Without a listener the error would end the process. */
function ignore(): void {}

function settle(error: unknown, resolve: (refusal: Refusal) => void, reject: (error: unknown) => void): void {
  try {
    resolve(refusalOf(error));
  } catch (surprise) {
    reject(surprise);
  }
}

function isZlibError(error: unknown): boolean {
  const code = error instanceof Error ? codeOf(error) : undefined;
  return code !== undefined && code.startsWith('Z_');
}
