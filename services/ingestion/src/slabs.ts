/** Bytes allocated at once; records that came together are also forgotten together. */
const SLAB_BYTES = 262_144;

/** Memory for many small buffers that live equally long. Not cleared: whoever takes some writes all of it. */
export class Slabs {
  #slab = Buffer.alloc(0);
  #at = 0;

  take(bytes: number): Buffer {
    if (bytes > SLAB_BYTES) return Buffer.allocUnsafeSlow(bytes);
    if (this.#at + bytes > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#at = 0;
    }
    const from = this.#at;
    this.#at += bytes;
    return this.#slab.subarray(from, this.#at);
  }
}
