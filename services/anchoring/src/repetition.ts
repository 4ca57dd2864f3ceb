import { Lifecycle, type Log, type Repeating, type Timers } from '@sentinel-node/platform';
import { cappedIntervalMs, type CategoryIntervals } from './domain/due.ts';
import { isRetryable } from './errors.ts';
import { ANCHORING_LIMITS } from './limits.ts';

type Step = () => Promise<void>;

interface RepetitionDeps {
  readonly log: Log;
  readonly timers: Pick<Timers, 'every'>;
  readonly categoryIntervalSeconds: CategoryIntervals;
}

/**
 * Repeats the steps of anchoring. After a transient fault the next turn tries again; any other error ends the
 * repetition.
 */
export class Repetition {
  readonly #deps: RepetitionDeps;
  readonly #lifecycle: Lifecycle;

  constructor(deps: RepetitionDeps) {
    this.#deps = deps;
    this.#lifecycle = new Lifecycle((error) => deps.log.fatal({ err: error }, 'anchoring has stopped'));
  }

  /** Rejects when anchoring cannot continue. */
  get failed(): Promise<never> {
    return this.#lifecycle.failed;
  }

  get isRunning(): boolean {
    return this.#lifecycle.isRunning;
  }

  start(...steps: readonly Step[]): void {
    this.#lifecycle.run(...steps.map((step) => this.#repeat(step)));
  }

  /** Resolves when no step is running and none will follow. */
  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  #repeat(step: Step): Repeating {
    const { categoryIntervalSeconds, log, timers } = this.#deps;
    return timers.every(cappedIntervalMs(ANCHORING_LIMITS.tickMs, categoryIntervalSeconds), async () => {
      try {
        await step();
      } catch (error) {
        if (!isRetryable(error)) throw error;
        log.warn({ err: error }, 'anchoring waits');
      }
    });
  }
}
