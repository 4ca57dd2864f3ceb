/** Bytes of one chunk; a record that needs more gets its own. */
const CHUNK_BYTES = 262_144;
/** UTF-8 bytes that one UTF-16 code unit can become. */
const BYTES_PER_UNIT = 3;

/** Encodes texts into shared chunks: thousands of small buffers of their own are what the collector pays most for. */
export class BodyBuffer {
  readonly #encoder = new TextEncoder();
  #chunk = new Uint8Array(0);
  #used = 0;

  /** UTF-8 of `text`; the bytes are never written again. */
  encode(text: string): Uint8Array {
    if (this.#chunk.length - this.#used < text.length * BYTES_PER_UNIT) {
      if (text.length * BYTES_PER_UNIT > CHUNK_BYTES) return this.#encoder.encode(text);
      this.#chunk = new Uint8Array(CHUNK_BYTES);
      this.#used = 0;
    }
    const { written } = this.#encoder.encodeInto(text, this.#chunk.subarray(this.#used));
    const body = this.#chunk.subarray(this.#used, this.#used + written);
    this.#used += written;
    return body;
  }
}
