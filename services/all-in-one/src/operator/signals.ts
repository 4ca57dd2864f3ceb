import { constants } from 'node:os';
import { PortError } from '@sentinel-node/platform';

/** As a shell tells that a signal ended a command. */
const SIGNAL_EXIT = 128;
/** For work to end after a signal, and for connections to end after that, in milliseconds. */
const ORDERLY_MS = 1_000;

/** The command was asked to end before it was done. */
export class InterruptedError extends PortError {
  readonly exitCode: number;
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('INTERRUPTED', `ended by ${signal}`);
    this.exitCode = SIGNAL_EXIT + constants.signals[signal];
  }
}

/** Gives `work` a little time to end in order when a signal comes. @throws InterruptedError, and what `work` throws */
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
  // What is under way when the stores are closed fails; nobody hears it any more.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, interrupted]);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** What was under way when a signal came may go on asking its stores: it does not keep the process. */
export function endSoon(exitCode: number): void {
  setTimeout(() => process.exit(exitCode), ORDERLY_MS).unref();
}
