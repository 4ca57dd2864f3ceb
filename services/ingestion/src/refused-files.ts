/**
 * Files whose last report was refused for good; of more than `maxFiles` the oldest refusal is forgotten.
 * @pool refused-files
 */
export class RefusedFiles {
  readonly #maxFiles: number;
  /** Time (ms) of the last refusal by file, oldest first. */
  readonly #refusedAt = new Map<string, number>();

  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  refused(fileId: string, nowMs: number): void {
    this.#refusedAt.delete(fileId);
    this.#refusedAt.set(fileId, nowMs);
    if (this.#refusedAt.size > this.#maxFiles) this.#refusedAt.delete(this.#refusedAt.keys().next().value!);
  }

  /** Forgets the refusal, because a report of the file was taken. */
  taken(fileId: string): void {
    if (this.#refusedAt.size > 0) this.#refusedAt.delete(fileId);
  }

  /** Returns when a report of the file was refused; undefined when another one was taken since. */
  refusedAt(fileId: string): number | undefined {
    return this.#refusedAt.get(fileId);
  }

  get isEmpty(): boolean {
    return this.#refusedAt.size === 0;
  }
}
