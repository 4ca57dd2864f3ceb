/** Reads headers from a file of consecutive headers, 80 bytes each, on the disk or behind a URL. */
import { open, stat } from 'node:fs/promises';
import { BLOCK_HEADER_BYTES, parseBlockHeader, shownHash, type KnownBlock } from '@sentinel-node/contracts';
import { messageOf } from '@sentinel-node/contracts/thrown';
import { LedgerUnavailableError } from '../../ports/errors.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { HEADER_LIMITS } from './limits.ts';
import { HeadersUnreadableError, shownUrl, type HeaderSource } from './source.ts';

const OK = 200;
const NOT_MODIFIED = 304;

/** Reads the bytes, or undefined when they are unchanged since the last call. @throws LedgerUnavailableError */
type ReadWhole = () => Promise<Uint8Array<ArrayBuffer> | undefined>;

export const fileSource = (path: string, checkpoint: KnownBlock): HeaderSource =>
  wholeFile(path, checkpoint, readFromDisk(path));

export const fileUrlSource = (url: string, checkpoint: KnownBlock, signal: AbortSignal): HeaderSource =>
  wholeFile(shownUrl(url), checkpoint, readFromUrl(url, signal));

function wholeFile(name: string, checkpoint: KnownBlock, read: ReadWhole): HeaderSource {
  let last = new Uint8Array(0);
  let first: number | undefined;
  const fresh = async (): Promise<number> => {
    last = (await read()) ?? last;
    first = undefined;
    first = firstHeight(name, last, checkpoint);
    return first;
  };
  return {
    name,
    height: async () => (await fresh()) + last.length / BLOCK_HEADER_BYTES - 1,
    headers: async (from, count) => {
      const start = from - (first ?? (await fresh()));
      if (start < 0) return new Uint8Array(0);
      return last.slice(start * BLOCK_HEADER_BYTES, (start + count) * BLOCK_HEADER_BYTES);
    },
  };
}

/**
 * Returns the height of the first header. A file names no heights: it begins with the checkpoint or with block 0.
 * @throws HeadersUnreadableError
 */
function firstHeight(name: string, bytes: Uint8Array, { hash, height }: KnownBlock): number {
  if (bytes.length === 0 || bytes.length % BLOCK_HEADER_BYTES !== 0)
    throw new HeadersUnreadableError(`${name}: ${bytes.length} bytes are not headers of 80 bytes each`);
  for (const index of [0, height]) {
    const header = parseBlockHeader(
      bytes.slice(index * BLOCK_HEADER_BYTES, (index + 1) * BLOCK_HEADER_BYTES),
    );
    if (header !== undefined && shownHash(header.hash) === hash) return height - index;
  }
  throw new HeadersUnreadableError(
    `${name} begins neither with block 0 nor with the checkpoint, block ${height} ${hash}`,
  );
}

function readFromDisk(path: string): ReadWhole {
  let seen: string | undefined;
  return async () => {
    try {
      const found = await stat(path);
      // A pipe would block the process until another process writes into it.
      if (!found.isFile()) throw new LedgerUnavailableError(`${path} is no file`);
      const { mtimeMs, size } = found;
      const now = `${mtimeMs} ${size}`;
      if (now === seen) return undefined;
      const bytes = await readBounded(path);
      seen = now;
      return bytes;
    } catch (error) {
      if (error instanceof LedgerUnavailableError) throw error;
      throw new LedgerUnavailableError(`the headers cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    }
  };
}

async function readBounded(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > HEADER_LIMITS.fileBytes)
      throw new LedgerUnavailableError(`${path} has more than ${HEADER_LIMITS.fileBytes} bytes`);
    const bytes = new Uint8Array(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await file.read(bytes, length, size - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

function readFromUrl(url: string, signal: AbortSignal): ReadWhole {
  let etag: string | undefined;
  return async () => {
    const { fileBytes: maxBytes, fileMs: timeoutMs } = HEADER_LIMITS;
    const headers = etag === undefined ? {} : { 'if-none-match': etag };
    const answer = await boundedFetch(url, { headers, maxBytes, timeoutMs, signal });
    if (answer.status === NOT_MODIFIED && etag !== undefined) return undefined;
    if (answer.status !== OK)
      throw new LedgerUnavailableError(`${shownUrl(url)} answers with ${answer.status}`);
    ({ etag } = answer);
    return answer.bytes;
  };
}
