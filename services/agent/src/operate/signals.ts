import { constants } from 'node:os';

type StopSignal = 'SIGINT' | 'SIGTERM';
const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM'];
/** A shell's exit code for a process that a signal ended, less the number of the signal. */
const BY_SIGNAL = 128;

/**
 * Takes the signals to `sentinel agent` from its first moment on. Untaken, each ends the process while it still loads or
 * starts, and systemd counts an end by SIGHUP as clean.
 */
export class Signals {
  #stoppedBy: StopSignal | undefined;
  #onStop: ((signal: StopSignal) => void) | undefined;
  #hasHungUp = false;
  #onHangUp = (): void => void (this.#hasHungUp = true);

  constructor() {
    process.on('SIGHUP', () => this.#onHangUp());
    for (const signal of STOP_SIGNALS)
      process.once(signal, () => {
        this.#stoppedBy ??= signal;
        this.#onStop?.(signal);
      });
  }

  /** Calls `act` at each SIGHUP, and now for those that came before the first call. */
  onHangUp(act: () => void): void {
    if (this.#hasHungUp) act();
    this.#hasHungUp = false;
    this.#onHangUp = act;
  }

  /** Resolves at the first SIGINT or SIGTERM, also when it came before. */
  stopped(): Promise<void> {
    return new Promise((resolve) => this.#stopBy(() => resolve()));
  }

  /** Lets SIGINT and SIGTERM end the process at once until `stopped` is called, also one that came before. */
  endAtStop(): void {
    this.#stopBy((signal) => {
      process.kill(process.pid, signal);
      // The first process of a container is not ended by a signal that it does not take.
      process.exit(BY_SIGNAL + constants.signals[signal]);
    });
  }

  #stopBy(act: (signal: StopSignal) => void): void {
    this.#onStop = act;
    if (this.#stoppedBy !== undefined) act(this.#stoppedBy);
  }
}
