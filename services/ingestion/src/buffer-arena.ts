/** Bytes of one allocation; records that arrive together are also released together. */
const CHUNK_BYTES = 262_144;

/** Memory for many small buffers of equal lifetime. The bytes are not cleared: the caller must write all of them. */
export class BufferArena {
  #chunk = Buffer.alloc(0);
  #offset = 0;

  allocate(bytes: number): Buffer {
    if (bytes > CHUNK_BYTES) return Buffer.allocUnsafeSlow(bytes);
    if (this.#offset + bytes > this.#chunk.length) {
      this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      this.#offset = 0;
    }
    const from = this.#offset;
    this.#offset += bytes;
    return this.#chunk.subarray(from, this.#offset);
  }
}
