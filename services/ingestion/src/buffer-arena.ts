/** Bytes of one allocation; records that arrive together are also released together. */
const CHUNK_BYTES = 262_144;

/** Memory for many small buffers of equal lifetime. The bytes are not cleared: the caller must write all of them. */
export class BufferArena {
  #chunk = Buffer.allocUnsafeSlow(0).buffer;
  #offset = 0;

  allocate(bytes: number): Uint8Array {
    if (bytes > CHUNK_BYTES) return Buffer.allocUnsafeSlow(bytes);
    if (this.#offset + bytes > this.#chunk.byteLength) {
      this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES).buffer;
      this.#offset = 0;
    }
    const from = this.#offset;
    this.#offset += bytes;
    // `Buffer.subarray` takes several times as long.
    return new Uint8Array(this.#chunk, from, bytes);
  }
}
