import type { Answer } from './net/server.ts';

/** First wait after a failed heartbeat, in ms; doubles up to the interval. */
const RETRY_MS = 1_000;
/** What is new waits this long for more of it, in ms. */
const SOON_MS = 200;
/** With a key that is refused the configuration is looked at again this often, in ms. */
const REFUSED_MS = 10_000;

export interface HeartOptions {
  readonly intervalMs: () => number;
  readonly beat: () => Promise<Answer<unknown>>;
}

/** Beats in its interval, sooner when there is something to say, and never before the server's Retry-After. */
export class Heart {
  readonly #options: HeartOptions;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #notBefore = 0;
  #dueAt = Infinity;
  #failures = 0;
  #stopped = false;

  constructor(options: HeartOptions) {
    this.#options = options;
  }

  start(): void {
    this.#plan(0);
  }

  /** There is something to say or to ask; it waits while the server asked to be left alone, or is away. */
  soon(): void {
    if (this.#failures === 0) this.#plan(SOON_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#beating;
  }

  /** Beats in `ms`, or earlier if that is planned. */
  #plan(ms: number): void {
    const at = Math.max(performance.now() + ms, this.#notBefore);
    if (this.#stopped || at >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => {
      this.#beating = this.#beating.then(() => this.#beat());
    }, at - performance.now());
  }

  async #beat(): Promise<void> {
    if (this.#stopped) return;
    this.#dueAt = Infinity;
    const answer = await this.#options.beat();
    this.#failures = answer.kind === 'ok' ? 0 : this.#failures + 1;
    const retryAfterMs = answer.kind === 'unreachable' ? (answer.retryAfterMs ?? 0) : 0;
    this.#notBefore = performance.now() + retryAfterMs;
    if (this.#failures > 0) this.#dueAt = Infinity; // what was planned meanwhile waits as well
    this.#plan(this.#pauseMs(answer));
  }

  #pauseMs(answer: Answer<unknown>): number {
    const interval = this.#options.intervalMs();
    if (answer.kind === 'ok') return interval;
    const longest = answer.kind === 'refused' ? Math.min(interval, REFUSED_MS) : interval;
    return Math.min(longest, RETRY_MS * 2 ** Math.min(this.#failures - 1, 10)) * (0.75 + Math.random() / 2);
  }
}
