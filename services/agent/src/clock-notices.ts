import { isClockOff, type AgentClock } from './clock.ts';

export interface ClockNoticesOptions {
  readonly clock: Pick<AgentClock, 'jumpMs' | 'aheadOfServerMs'>;
  readonly log: (level: 'warn', message: string) => void;
  readonly notice: (code: string, message: string, fileId: string | null) => void;
  /** Called after a jump. */
  readonly onJump: () => void;
}

/** Interval between comparisons of the machine's clock with the steady clock, in ms. */
const LOOK_MS = 1_000;
const MS_PER_SECOND = 1_000;

/** Reports a jump of the machine's clock, and a large difference from the server's time. */
export class ClockNotices {
  readonly #options: ClockNoticesOptions;
  #timer: NodeJS.Timeout | undefined;
  #isOffReported = false;

  constructor(options: ClockNoticesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#watch(), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Compares the machine's clock with the server's time; reports a wrong clock once until the clock is right again. */
  compare(): void {
    const offMs = this.#options.clock.aheadOfServerMs() ?? 0;
    const off = isClockOff(offMs);
    if (off && !this.#isOffReported)
      this.#report(
        'CLOCK_OFF',
        `The machine's clock is ${Math.round(offMs / MS_PER_SECOND)} s from the server's.`,
      );
    this.#isOffReported = off;
  }

  #watch(): void {
    const seconds = Math.round(this.#options.clock.jumpMs() / MS_PER_SECOND);
    if (seconds === 0) return;
    this.#report(
      'CLOCK_JUMP',
      `The machine's clock jumped by ${seconds} s, or the machine slept. Sequences follow the server's time.`,
    );
    this.#options.onJump();
  }

  #report(code: string, message: string): void {
    this.#options.log('warn', message);
    this.#options.notice(code, message, null);
  }
}
