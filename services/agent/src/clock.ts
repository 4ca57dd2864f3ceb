/** Source of the machine's clock and of a steady clock. */
export interface TimeSource {
  /** Returns milliseconds since 1970 by the machine's clock, which can be wrong and can jump. */
  readonly wallMs: () => number;
  /** Returns milliseconds of a clock that never goes back. */
  readonly steadyMs: () => number;
}

export const MACHINE_TIME: TimeSource = { wallMs: () => Date.now(), steadyMs: () => performance.now() };

/** A larger difference from the server's time means that the machine's clock is wrong, in ms. */
const OFF_MS = 300_000;

export const isClockOff = (aheadMs: number): boolean => Math.abs(aheadMs) > OFF_MS;

/** A smaller change is a normal adjustment of the clock, in ms. */
const JUMP_MS = 5_000;

/** The machine's clock, the steady clock, and the server's time from the last answer. */
export class AgentClock {
  readonly #source: TimeSource;
  #server: { readonly ms: number; readonly atSteadyMs: number } | undefined;
  /** How far the server's time was ahead of `elapsedMs` at most, by the last heartbeat's answer, in ms. */
  #serverAtMost: number | undefined;
  /** How far the machine's clock is ahead of the steady clock, as of the last jump, in ms. */
  #ahead: number;
  /** Sum of the jumps ahead, in ms. */
  #jumpedAheadMs = 0;
  /** Largest jump since the last call of `jumpMs`, in ms: the sum of one ahead and one back would be none. */
  #untoldJumpMs = 0;

  constructor(source: TimeSource = MACHINE_TIME) {
    this.#source = source;
    this.#ahead = source.wallMs() - source.steadyMs();
  }

  wallMs(): number {
    return this.#source.wallMs();
  }

  steadyMs(): number {
    return this.#source.steadyMs();
  }

  /** Records the server's time from an answer. */
  recordServerTime(serverMs: number): void {
    if (Number.isFinite(serverMs)) this.#server = { ms: serverMs, atSteadyMs: this.#source.steadyMs() };
  }

  /**
   * Records the server's time from the answer to a heartbeat. When both clocks of the machine stood still, as those of a
   * virtual machine that was paused, only the server's time shows it; it then counts as a jump ahead. A late answer does not:
   * its time lies between the call's begin and end.
   * @param askedMs the call's begin by `elapsedMs`
   */
  recordHeartbeat(serverMs: number, askedMs: number): void {
    this.recordServerTime(serverMs);
    const aheadMs = serverMs - this.elapsedMs();
    const jump = aheadMs - (this.#serverAtMost ?? Infinity);
    const isJump = jump >= JUMP_MS;
    if (isJump) this.#countJump(jump);
    this.#serverAtMost = serverMs - askedMs - (isJump ? jump : 0);
  }

  /** Returns the server's time, or the machine's time before the first answer. */
  serverMs(): number {
    if (this.#server === undefined) return this.#source.wallMs();
    return this.#server.ms + this.#source.steadyMs() - this.#server.atSteadyMs;
  }

  /** Returns how many ms the machine's clock is ahead of the server's; undefined before the first answer. */
  aheadOfServerMs(): number | undefined {
    return this.#server === undefined ? undefined : this.#source.wallMs() - this.serverMs();
  }

  /**
   * Returns milliseconds of the steady clock and of all jumps ahead of the machine's clock, or of the server's. The steady clock stands still
   * while the machine is suspended, which then looks like such a jump. A jump that was none counts too: a look
   * seems older than it is, never younger. The steady clock is for how long something was watched.
   */
  elapsedMs(): number {
    this.#takeJump();
    return this.#source.steadyMs() + this.#jumpedAheadMs;
  }

  /**
   * Returns a function that converts times of `elapsedMs` to ISO 8601 by the machine's current clock. Equal milliseconds
   * share one string.
   */
  wallTimes(): (elapsedMs: number) => string {
    const ahead = this.#source.wallMs() - this.elapsedMs();
    const texts = new Map<number, string>();
    return (elapsedMs) => {
      const ms = Math.floor(elapsedMs + ahead);
      const text = texts.get(ms) ?? new Date(ms).toISOString();
      texts.set(ms, text);
      return text;
    };
  }

  /** Returns the largest jump of the machine's clock since the last call, in ms; 0 without a jump. */
  jumpMs(): number {
    this.#takeJump();
    const jump = this.#untoldJumpMs;
    this.#untoldJumpMs = 0;
    return jump;
  }

  #takeJump(): void {
    const ahead = this.#source.wallMs() - this.#source.steadyMs();
    const jump = ahead - this.#ahead;
    if (Math.abs(jump) < JUMP_MS) return;
    this.#ahead = ahead;
    this.#countJump(jump);
  }

  #countJump(jump: number): void {
    this.#jumpedAheadMs += Math.max(0, jump);
    if (Math.abs(jump) > Math.abs(this.#untoldJumpMs)) this.#untoldJumpMs = jump;
  }
}
