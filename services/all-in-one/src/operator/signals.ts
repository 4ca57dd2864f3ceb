import { constants } from 'node:os';
import { PortError } from '@sentinel-node/platform';

/** Base of the exit code of a command that a signal ended, as in a shell. */
const SIGNAL_EXIT = 128;
/** Time for work to end after a signal, and then for connections, in ms. */
const ORDERLY_MS = 1_000;

/** A signal ended the command early. */
export class InterruptedError extends PortError {
  readonly exitCode: number;
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('INTERRUPTED', `ended by ${signal}`);
    this.exitCode = SIGNAL_EXIT + constants.signals[signal];
  }
}

/**
 * Runs `work` and, after a signal, waits a short time for an orderly end.
 * @throws InterruptedError, and errors of `work`
 */
export async function untilSignal(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const controller = new AbortController();
  const { signal } = controller;
  const interrupt = (name: 'SIGINT' | 'SIGTERM') => controller.abort(new InterruptedError(name));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const interrupted = new Promise<never>((_, reject) => {
    const late = () => reject(signal.reason);
    signal.addEventListener('abort', () => setTimeout(late, ORDERLY_MS));
  });
  interrupted.catch(() => undefined);
  const working = work(signal);
  // Ignore errors of work that continues after the stores are closed.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, interrupted]);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** Ends the process after a short time, even when interrupted work still uses its stores. */
export function endSoon(exitCode: number): void {
  setTimeout(() => process.exit(exitCode), ORDERLY_MS).unref();
}
