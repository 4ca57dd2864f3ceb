/** Bytes of one chunk; a longer record gets its own chunk. */
const CHUNK_BYTES = 262_144;
/** Most UTF-8 bytes that one UTF-16 code unit can become. */
const BYTES_PER_UNIT = 3;

/** Puts bodies into shared chunks: thousands of small buffers would cost the garbage collector most. */
export class BodyBuffer {
  #chunk = Buffer.alloc(0);
  #used = 0;

  /** UTF-8 of `text`; the bytes are never written again. */
  encode(text: string): Uint8Array {
    const mostBytes = text.length * BYTES_PER_UNIT;
    if (mostBytes > CHUNK_BYTES) return Buffer.from(text);
    this.#makeRoom(mostBytes);
    return this.#taken(this.#chunk.write(text, this.#used));
  }

  /** A copy of `bytes` that is never written again. */
  copy(bytes: Uint8Array): Uint8Array {
    if (bytes.length > CHUNK_BYTES) return bytes.slice();
    this.#makeRoom(bytes.length);
    this.#chunk.set(bytes, this.#used);
    return this.#taken(bytes.length);
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#chunk.length - this.#used) return;
    this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#used = 0;
  }

  #taken(bytes: number): Uint8Array {
    const start = this.#used;
    this.#used += bytes;
    return new Uint8Array(this.#chunk.buffer, start, bytes);
  }
}
