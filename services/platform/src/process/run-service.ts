/** Common frame of every `main.ts`: signals, exit codes, and messages instead of stacks. */
import { messageOf, oneLine } from '@sentinel-node/contracts/thrown';
import type { Log } from '../logging/log.ts';
import { failureMessage } from './failure-message.ts';

/** Limit from a signal to the end of the process, in milliseconds. */
export const EXIT_DEADLINE_MS = 4_800;

export interface RunningService {
  /** Completes the work under way and releases everything. */
  stop(): Promise<void>;
  /** Rejects when a part of the service failed permanently. */
  readonly failed?: Promise<never>;
}

export interface RunContext {
  /** Sends unexpected errors to this log too, with their stack, and begin and end of a stop, from now on. */
  readonly useLog: (log: Log) => void;
}

/**
 * Starts a service and runs it until SIGTERM or SIGINT, then stops it and exits with 0. Exits with 1 when the service
 * cannot start, fails, throws outside of any handler, or does not stop in time. Further signals during the stop change
 * nothing.
 */
export function runService(name: string, start: (context: RunContext) => Promise<RunningService>): void {
  let log: Log | undefined;
  let stopping = false;

  const fail = (error: unknown): never => {
    const known = failureMessage(error);
    if (known === undefined) log?.fatal({ err: error }, 'stopped by an internal error');
    process.stderr.write(
      `${name}: ${known ?? `stopped by an internal error: ${oneLine(messageOf(error))}`}\n`,
    );
    process.exit(1);
  };
  const started = Promise.resolve().then(() => start({ useLog: (given) => (log = given) }));
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log?.info({ signal }, 'stopping');
    setTimeout(() => {
      process.stderr.write(`${name}: did not stop in time\n`);
      process.exit(1);
    }, EXIT_DEADLINE_MS);
    await (await started).stop();
    log?.info({ signal }, 'stopped');
    process.exit(0);
  };

  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => void stop(signal).catch(fail));
  started.then((service) => service.failed, fail).catch(fail);
}
