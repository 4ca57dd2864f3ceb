import type { FastifyInstance } from 'fastify';
import type { Log } from '../logging/log.ts';
import { HTTP_TIMES } from './timeouts.ts';

type Hook = () => void | Promise<void>;

export interface Stopper {
  stop(): Promise<void>;
  onStopping(hook: Hook): void;
  isStopping(): boolean;
}

/** Ends streams, lets answers under way finish for a bounded time, then closes every connection. */
export function stopper(app: FastifyInstance, log: Log): Stopper {
  const hooks: Hook[] = [];
  let stopped: Promise<void> | undefined;

  const runHook = async (hook: Hook): Promise<void> => {
    try {
      await hook();
    } catch (error) {
      log.warn({ err: error }, 'ending a stream failed; its connection is closed instead');
    }
  };
  const stop = async (): Promise<void> => {
    await within(HTTP_TIMES.stoppingHooksMs, Promise.all(hooks.map(runHook)));
    const closeAll = setTimeout(() => app.server.closeAllConnections(), HTTP_TIMES.drainMs);
    try {
      await app.close();
    } finally {
      clearTimeout(closeAll);
    }
  };
  return {
    stop: () => (stopped ??= stop()),
    onStopping: (hook) => void hooks.push(hook),
    isStopping: () => stopped !== undefined,
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
