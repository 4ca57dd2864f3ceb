import { backOffMs } from './domain/back-off.ts';
import { retryAfterOf, type Answer } from './net/server.ts';

/** First wait after a failed heartbeat, in ms; each failure doubles the wait, up to the interval. */
const RETRY_MS = 1_000;
/** Wait of an early heartbeat, in ms, which collects further news. */
const SOON_MS = 200;
/**
 * Longest wait while the server refuses the agent, in ms: each heartbeat also reads the downloaded configuration
 * again.
 */
const REFUSED_MS = 10_000;

export interface HeartOptions {
  readonly intervalMs: () => number;
  readonly sendHeartbeat: () => Promise<Answer<unknown>>;
}

/** Sends heartbeats in an interval, earlier on request, and never before the server's Retry-After. */
export class Heart {
  readonly #options: HeartOptions;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #notBefore = 0;
  /** Time of the planned heartbeat, or of the one that is not answered yet: no other is planned until then. */
  #dueAt = Infinity;
  #failures = 0;
  /** There is news since the current heartbeat was made, or since the last one failed. */
  #hasNews = false;
  #stopped = false;

  constructor(options: HeartOptions) {
    this.#options = options;
  }

  start(): void {
    this.#plan(0);
  }

  /**
   * Plans an early heartbeat. After a failure, the planned retry comes first and another follows it if
   * needed.
   */
  soon(): void {
    this.#hasNews = true;
    if (this.#failures === 0) this.#plan(SOON_MS);
  }

  /** Resolves when the heartbeats that have begun are over. */
  get beating(): Promise<void> {
    return this.#beating;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#beating;
  }

  /** Plans a heartbeat in `ms` unless an earlier one is planned or under way. */
  #plan(ms: number): void {
    const now = performance.now();
    const at = Math.max(now + ms, this.#notBefore);
    if (this.#stopped || at >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => void (this.#beating = this.#beat()), at - now);
  }

  async #beat(): Promise<void> {
    if (this.#stopped) return;
    this.#hasNews = false;
    const answer = await this.#options.sendHeartbeat();
    this.#failures = answer.kind === 'ok' ? 0 : this.#failures + 1;
    this.#notBefore = performance.now() + (retryAfterOf(answer) ?? 0);
    this.#dueAt = Infinity;
    this.#plan(this.#pauseMs(answer));
  }

  #pauseMs(answer: Answer<unknown>): number {
    const interval = this.#options.intervalMs();
    if (answer.kind === 'ok') return this.#hasNews ? SOON_MS : interval;
    const longestMs = answer.kind === 'refused' ? Math.min(interval, REFUSED_MS) : interval;
    return backOffMs({ firstMs: RETRY_MS, longestMs }, this.#failures, Math.random());
  }
}
