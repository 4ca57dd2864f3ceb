/** Reads chosen files in pieces; never sends them. */
import { VerifyInputError } from '@sentinel-node/contracts';

const PIECE_BYTES = 1_048_576;

/** Yields a file in pieces, in order. @throws VerifyInputError when the file can no longer be read, or is a folder */
export async function* readChunks(file: File): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < file.size; from += PIECE_BYTES)
    yield await bytesOf(file, from, Math.min(file.size, from + PIECE_BYTES));
}

/** Returns the first bytes of a file, `limit` at most. @throws VerifyInputError as `readChunks` */
export const readUpTo = (file: File, limit: number): Promise<Uint8Array> =>
  bytesOf(file, 0, Math.min(file.size, limit));

async function bytesOf(file: File, from: number, to: number): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(from, to).arrayBuffer());
  } catch {
    throw new VerifyInputError(
      `${file.name} cannot be read: it was changed or removed since you chose it, or it is a folder. Choose it again.`,
    );
  }
}
