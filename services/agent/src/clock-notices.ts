import { isClockOff, type AgentClock } from './clock.ts';

export interface ClockNoticesOptions {
  readonly clock: Pick<AgentClock, 'jumpMs' | 'aheadOfServerMs'>;
  readonly log: (level: 'warn', message: string) => void;
  readonly notice: (code: string, message: string, fileId: string | null) => void;
}

/** The machine's clock is compared with the steady one this often, in ms. */
const LOOK_MS = 1_000;
const MS_PER_SECOND = 1_000;

/** Tells when the machine's clock jumps, and when it is far from the server's. */
export class ClockNotices {
  readonly #options: ClockNoticesOptions;
  #timer: NodeJS.Timeout | undefined;
  #offTold = false;

  constructor(options: ClockNoticesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#watch(), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The server has told its time: a clock that is off is told once. */
  compare(): void {
    const offMs = this.#options.clock.aheadOfServerMs() ?? 0;
    const off = isClockOff(offMs);
    if (off && !this.#offTold)
      this.#tell(
        'CLOCK_OFF',
        `The machine's clock is ${Math.round(offMs / MS_PER_SECOND)} s from the server's.`,
      );
    this.#offTold = off;
  }

  #watch(): void {
    const seconds = Math.round(this.#options.clock.jumpMs() / MS_PER_SECOND);
    if (seconds === 0) return;
    this.#tell(
      'CLOCK_JUMP',
      `The machine's clock jumped by ${seconds} s, or the machine slept. Sequences follow the server's time.`,
    );
  }

  #tell(code: string, message: string): void {
    this.#options.log('warn', message);
    this.#options.notice(code, message, null);
  }
}
