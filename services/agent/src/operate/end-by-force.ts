import { logger, type LogFormat } from './log.ts';

/** Time until the process ends itself by force, in ms. */
const FORCE_MS = 1_000;

/**
 * Ends the process by force when a call to the system still hangs a moment later. Neither the end of the event loop nor
 * `process.exit` ends a process that has a thread in such a call.
 */
export function endByForce(format: LogFormat): void {
  setTimeout(() => {
    logger(format)('warn', 'a look has not ended: the process ends itself by force');
    process.kill(process.pid, 'SIGKILL');
    // Still here: no SIGKILL of its own ends the first process of a container.
    process.abort();
  }, FORCE_MS).unref();
}
