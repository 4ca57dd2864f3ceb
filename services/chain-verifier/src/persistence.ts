import { retryTransient, type Log, type Timers } from '@sentinel-node/platform';

/** The service stops before a batch is judged, or while it waits for a port; the batch is delivered again after the next start. */
export class StoppedError extends Error {
  readonly code = 'STOPPED';
  constructor() {
    super('stopped before the batch was done');
    this.name = 'StoppedError';
  }
}

/** Calls that wait until a transient fault is over: a full disk or a busy store delays the partition and loses nothing. */
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

  /** Ends every wait with `StoppedError`; started writes run to their end. */
  stop(): void {
    this.#stopping = true;
    this.#stop();
  }

  /** Repeats `write` while it fails with a transient fault. @throws any other error of `write`; StoppedError */
  async run(write: () => Promise<unknown>): Promise<void> {
    let failed = false;
    const onFault = (fault: Error): void => {
      if (!failed) {
        this.#waiting++;
        this.#log.warn({ err: fault }, 'a store does not answer as it should; trying again');
      }
      failed = true;
    };
    try {
      // `#delay` ends the wait with an error when the service stops.
      await retryTransient({ delay: (ms) => this.#delay(ms) }, () => false, write, onFault);
    } finally {
      if (failed) this.#waiting--;
    }
  }

  async #delay(ms: number): Promise<void> {
    await Promise.race([this.#timers.delay(ms), this.#stopped]);
    if (this.#stopping) throw new StoppedError();
  }
}
