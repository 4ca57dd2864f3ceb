/** Splits a streamed document into lines. */
import { concatBytes } from './bytes.ts';

const LINE_END = 0x0a;

/**
 * Yields lines without their ends. A line longer than `limit` bytes is cut to `limit` + 1 bytes. Reading stops when more
 * than `limit` bytes have come without a line end.
 */
export async function* byteLines(
  pieces: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    let bytes = rest.length === 0 ? piece : concatBytes(rest, piece);
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END)) {
      yield bytes.subarray(0, Math.min(end, limit + 1));
      bytes = bytes.subarray(end + 1);
    }
    rest = bytes;
    if (rest.length > limit) break;
  }
  if (rest.length > 0) yield rest.subarray(0, limit + 1);
}
