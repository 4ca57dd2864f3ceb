import { isPassing, type Log, type Timers } from '@sentinel-node/platform';

/** Wait before another attempt, in milliseconds: doubled from the first to the longest. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

/** The service stops before a batch is judged, or while it waits for a port; it comes again after the next start. */
export class StoppedError extends Error {
  readonly code = 'STOPPED';
  constructor() {
    super('stopped before the batch was done');
    this.name = 'StoppedError';
  }
}

/** Calls that wait out passing faults: a full disk or a busy store holds the partition back, it loses nothing. */
export class Persistence {
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #stopped: Promise<void>;
  #stop: () => void = () => undefined;
  #stopping = false;
  #waiting = 0;

  constructor(timers: Timers, log: Log) {
    this.#timers = timers;
    this.#log = log;
    this.#stopped = new Promise((resolve) => (this.#stop = resolve));
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** True while a write has failed and not yet succeeded. */
  get waiting(): boolean {
    return this.#waiting > 0;
  }

  /** Ends every wait with `StoppedError`; writes under way end as they may. */
  stop(): void {
    this.#stopping = true;
    this.#stop();
  }

  /** @throws what `write` throws, unless it passes; StoppedError */
  async run(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#log.warn({ err: error }, 'a store does not answer as it should; trying again');
      await this.#repeat(write);
    }
  }

  async #repeat(write: () => Promise<unknown>): Promise<void> {
    this.#waiting++;
    try {
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
        await Promise.race([this.#timers.delay(waitMs), this.#stopped]);
        if (this.#stopping) throw new StoppedError();
        if (await succeeds(write)) return;
      }
    } finally {
      this.#waiting--;
    }
  }
}

async function succeeds(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (!isPassing(error)) throw error;
    return false;
  }
}
