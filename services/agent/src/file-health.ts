/** Whether a file is looked at, and what the server knows of that. */
export class FileHealth {
  /** Steady milliseconds of the last look that worked and whose result is on disk. */
  checkedAt: number | undefined;
  #problem: string | undefined;
  /** The problem that the server knows of. */
  #told: string | undefined;

  /** Why the file is not looked at, or what is seen cannot be kept; undefined: all is well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** @returns whether it is another than before */
  become(problem: string | undefined): boolean {
    const isOther = problem !== this.#problem;
    this.#problem = problem;
    return isOther;
  }

  /** The server took a heartbeat with this problem; null: with none. */
  told(problem: string | null): void {
    this.#told = problem ?? undefined;
  }

  /**
   * Whether reports may go out. The server takes each for a sign that the file is looked at: one that was kept from before
   * waits until the file was looked at again, or until the server was told that it is not.
   * @param lateMs age of the last look, in ms, at which it counts no more
   */
  maySend(nowMs: number, lateMs: number): boolean {
    if (this.#problem !== undefined) return this.#told === this.#problem;
    return this.checkedAt !== undefined && nowMs - this.checkedAt <= lateMs;
  }
}
