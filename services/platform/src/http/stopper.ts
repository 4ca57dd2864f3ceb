import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../logging/log.ts';
import { HTTP_TIMES } from './timeouts.ts';

type Hook = () => void | Promise<void>;

export interface Stopper {
  readonly stop: () => Promise<void>;
  readonly onStopping: (hook: Hook) => () => void;
  readonly isStopping: () => boolean;
}

/**
 * Ends streams, lets running answers finish for a bounded time, then closes every connection.
 * @boundedBy the streams and connections that are open
 */
export function stopper(app: FastifyInstance, log: Log): Stopper {
  const hooks = new Set<Hook>();
  let stopped: Promise<void> | undefined;
  const silent = watchSilent(app.server);

  const runHook = async (hook: Hook): Promise<void> => {
    try {
      await hook();
    } catch (error) {
      log.warn({ err: error }, 'ending a stream failed; its connection is closed instead');
    }
  };
  const stop = async (): Promise<void> => {
    await within(HTTP_TIMES.stoppingHooksMs, Promise.all([...hooks].map(runHook)));
    const closeIdle = setInterval(() => {
      app.server.closeIdleConnections();
      for (const socket of silent()) socket.destroy();
    }, HTTP_TIMES.closeIdleMs);
    const closeAll = setTimeout(() => app.server.closeAllConnections(), HTTP_TIMES.drainMs);
    try {
      await app.close();
    } finally {
      clearTimeout(closeAll);
      clearInterval(closeIdle);
    }
  };
  // An answer that ends during the stop tells the client to send no further request on the connection.
  app.addHook('onSend', (_, reply, payload, done) => {
    if (stopped !== undefined) void reply.header('connection', 'close');
    done(null, payload);
  });
  return {
    stop: () => (stopped ??= stop()),
    onStopping: (hook) => {
      // A request that began before the stop may open its stream only now.
      if (stopped === undefined) hooks.add(hook);
      else void runHook(hook);
      return () => void hooks.delete(hook);
    },
    isStopping: () => stopped !== undefined,
  };
}

/**
 * Returns the connections that never sent a byte, such as those that browsers open in advance; node:http does not count
 * them as idle.
 * @boundedBy the connections that are open
 */
function watchSilent(server: FastifyInstance['server']): () => Socket[] {
  const sockets = new Set<Socket>();
  const watch = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', watch).on('secureConnection', watch);
  return () => [...sockets].filter(({ bytesRead }) => bytesRead === 0);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
