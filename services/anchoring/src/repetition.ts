import type { Log, Repeating, Timers } from '@sentinel-node/platform';
import { pace, type CategoryIntervals } from './domain/due.ts';
import { mayPass } from './errors.ts';
import { ANCHORING_LIMITS } from './limits.ts';

type Step = () => Promise<void>;

interface RepetitionDeps {
  readonly log: Log;
  readonly timers: Pick<Timers, 'every'>;
  readonly categoryIntervalSeconds: CategoryIntervals;
}

/** The steps of anchoring, over and over: what passes is tried again at the next turn, anything else is the end. */
export class Repetition {
  /** Rejects when anchoring cannot go on. */
  readonly failed: Promise<never>;
  readonly #deps: RepetitionDeps;
  #fail: (error: unknown) => void = () => undefined;
  #turns: readonly Repeating[] = [];
  #goesOn = false;

  constructor(deps: RepetitionDeps) {
    this.#deps = deps;
    this.failed = new Promise<never>((_, reject) => (this.#fail = reject));
    // Whoever watches `failed` hears of it; nobody has to.
    this.failed.catch(() => undefined);
  }

  get goesOn(): boolean {
    return this.#goesOn;
  }

  start(...steps: readonly Step[]): void {
    this.#turns = steps.map((step) => this.#repeat(step));
    this.#goesOn = true;
  }

  /** Resolves when no step is under way and none will follow. */
  async stop(): Promise<void> {
    this.#goesOn = false;
    await Promise.all(this.#turns.map((turns) => turns.stop()));
  }

  #repeat(step: Step): Repeating {
    const { categoryIntervalSeconds, log, timers } = this.#deps;
    const turns = timers.every(pace(ANCHORING_LIMITS.tickMs, categoryIntervalSeconds), async () => {
      try {
        await step();
      } catch (error) {
        if (!mayPass(error)) throw error;
        log.warn({ err: error }, 'anchoring waits');
      }
    });
    turns.failed.catch((error: unknown) => {
      this.#goesOn = false;
      log.fatal({ err: error }, 'anchoring has stopped');
      this.#fail(error);
    });
    return turns;
  }
}
