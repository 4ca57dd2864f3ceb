import { open } from 'node:fs/promises';
import { VerifyInputError } from '@sentinel-node/contracts';
import { codeOf } from '@sentinel-node/contracts/thrown';

const PIECE_BYTES = 65_536;

/** Yields a file or pipe in pieces, in order. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    for (;;) {
      const bytes = new Uint8Array(PIECE_BYTES);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, null).catch((error: unknown) => {
        throw codeOf(error) === 'EISDIR' ? new VerifyInputError(`${path} is a folder, not a file`) : error;
      });
      if (bytesRead === 0) return;
      yield bytes.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Returns the first bytes of a file or pipe, `limit` at most. */
export async function readUpTo(path: string, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of readChunks(path)) {
    parts.push(part);
    length += part.length;
    if (length >= limit) break;
  }
  const whole = new Uint8Array(Math.min(length, limit));
  let at = 0;
  for (const part of parts) {
    whole.set(part.subarray(0, whole.length - at), at);
    at += part.length;
  }
  return whole;
}
