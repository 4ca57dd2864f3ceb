/** Bytes of one chunk; a longer record gets its own chunk. */
const CHUNK_BYTES = 262_144;
/** Most UTF-8 bytes that one UTF-16 code unit can become. */
const BYTES_PER_UNIT = 3;

/** Encodes texts into shared chunks: thousands of small buffers would cost the garbage collector most. */
export class BodyBuffer {
  #chunk = Buffer.alloc(0);
  #used = 0;

  /** UTF-8 of `text`; the bytes are never written again. */
  encode(text: string): Uint8Array {
    const mostBytes = text.length * BYTES_PER_UNIT;
    if (mostBytes > CHUNK_BYTES) return Buffer.from(text);
    if (mostBytes > this.#chunk.length - this.#used) {
      this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#chunk.write(text, start);
    return new Uint8Array(this.#chunk.buffer, start, this.#used - start);
  }
}
