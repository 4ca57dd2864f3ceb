/** Where times come from. */
export interface TimeSource {
  /** Milliseconds since 1970 by the machine's clock, which can be wrong and can jump. */
  readonly wallMs: () => number;
  /** Milliseconds that only run forward. */
  readonly steadyMs: () => number;
}

export const MACHINE_TIME: TimeSource = { wallMs: () => Date.now(), steadyMs: () => performance.now() };

/** A machine's clock that is further from the server's is wrong, in ms. */
const OFF_MS = 300_000;

export const isClockOff = (aheadMs: number): boolean => Math.abs(aheadMs) > OFF_MS;

/** A difference below this is how clocks are set right, in ms. */
const JUMP_MS = 5_000;

/** The machine's clock, the steady one, and the server's time as it was heard. */
export class AgentClock {
  readonly #source: TimeSource;
  #server: { readonly ms: number; readonly atSteadyMs: number } | undefined;
  #ahead: number;

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

  /** The server told its time. */
  heard(serverMs: number): void {
    if (Number.isFinite(serverMs)) this.#server = { ms: serverMs, atSteadyMs: this.#source.steadyMs() };
  }

  /** The server's time as far as it is known, else the machine's. */
  serverMs(): number {
    if (this.#server === undefined) return this.#source.wallMs();
    return this.#server.ms + this.#source.steadyMs() - this.#server.atSteadyMs;
  }

  /** Milliseconds that the machine's clock is ahead of the server's; undefined: the server has not told its time. */
  aheadOfServerMs(): number | undefined {
    return this.#server === undefined ? undefined : this.#source.wallMs() - this.serverMs();
  }

  /** Tells steady times as the machine's clock shows them now, ISO 8601. Many files were looked at in the same ms, and share a text. */
  wallTimes(): (steadyMs: number) => string {
    const ahead = this.#source.wallMs() - this.#source.steadyMs();
    const told = new Map<number, string>();
    return (steadyMs) => {
      const ms = Math.floor(steadyMs + ahead);
      const text = told.get(ms) ?? new Date(ms).toISOString();
      told.set(ms, text);
      return text;
    };
  }

  /** How many ms the machine's clock jumped since the last call; 0: it did not. */
  jumpMs(): number {
    const ahead = this.#source.wallMs() - this.#source.steadyMs();
    const jump = ahead - this.#ahead;
    if (Math.abs(jump) < JUMP_MS) return 0;
    this.#ahead = ahead;
    return jump;
  }
}
