import { constants } from 'node:os';
import { PortError } from '@sentinel-node/platform';

/** Base of the exit code by which a shell shows that a signal ended a command. */
const SIGNAL_EXIT = 128;
/** Milliseconds for work to end after a signal, and then for connections to end. */
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
 * Runs `work` and gives it a short time to end in order after a signal.
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
  // Work that continues when the stores are closed fails; its error is ignored.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, interrupted]);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** Ends the process soon, even if interrupted work still uses its stores. */
export function endSoon(exitCode: number): void {
  setTimeout(() => process.exit(exitCode), ORDERLY_MS).unref();
}
