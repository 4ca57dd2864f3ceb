import { open } from 'node:fs/promises';

const CHUNK_BYTES = 65_536;

/** Pieces of a file or a pipe, in order. */
export async function* chunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    for (;;) {
      const bytes = new Uint8Array(CHUNK_BYTES);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, null);
      if (bytesRead === 0) return;
      yield bytes.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The first bytes of a file or a pipe, at most `limit` of them. */
export async function readUpTo(path: string, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of chunks(path)) {
    parts.push(part);
    length += part.length;
    if (length >= limit) break;
  }
  // A Buffer's `slice` is a view: who reverses a part of it changes the whole.
  return new Uint8Array(Buffer.concat(parts, length).subarray(0, limit));
}

const LINE_END = 0x0a;

/** Lines of a file or a pipe without their ends. One longer than `limit` is cut to a byte more than that, and is the last. */
export async function* linesOf(path: string, limit: number): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const part of chunks(path)) {
    let bytes = rest.length === 0 ? part : new Uint8Array(Buffer.concat([rest, part]));
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END)) {
      yield bytes.subarray(0, Math.min(end, limit + 1));
      bytes = bytes.subarray(end + 1);
    }
    rest = bytes;
    if (rest.length > limit) break;
  }
  if (rest.length > 0) yield rest.subarray(0, limit + 1);
}
