/** Problems of files whose result cannot be saved. */
const NOT_KEPT: ReadonlySet<string | undefined> = new Set(['SPOOL_FAILING', 'SPOOL_FULL']);

/** Whether the agent can look at a file, and which problem the server knows of. */
export class FileHealth {
  /** Time of the last successful look whose result is on disk, by `elapsedMs` of the clock. */
  checkedAt: number | undefined;
  #problem: string | undefined;
  /** Time of the problem's begin, by `elapsedMs` of the clock. */
  #since = 0;
  #reported: string | undefined;

  /** Why the file cannot be read or its result cannot be saved; undefined without a problem. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Returns how long results cannot be saved, in ms; undefined when they can. */
  notKeptMs(nowMs: number): number | undefined {
    return NOT_KEPT.has(this.#problem) ? nowMs - this.#since : undefined;
  }

  /** The problem in the last heartbeat that the server accepted; undefined without a problem. */
  get reported(): string | undefined {
    return this.#reported;
  }

  /** Sets the problem. @returns whether the problem changed */
  setProblem(problem: string | undefined, nowMs: number): boolean {
    const isOther = problem !== this.#problem;
    if (isOther) this.#since = nowMs;
    this.#problem = problem;
    return isOther;
  }

  /** Records that the server accepted a heartbeat with this problem; null for no problem. */
  markReported(problem: string | null): void {
    this.#reported = problem ?? undefined;
  }

  /**
   * Returns whether reports may be sent. The server takes each report as a sign that the agent looks at the file. An older
   * report therefore waits until the agent looked again, or until the server knows the current problem.
   * @param lateMs age above which the last look no longer counts, in ms
   */
  maySend(nowMs: number, lateMs: number): boolean {
    if (this.#problem !== undefined) return this.#reported === this.#problem;
    return this.checkedAt !== undefined && nowMs - this.checkedAt <= lateMs;
  }
}
