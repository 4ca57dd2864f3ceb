import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { LINGER_BYTES, type HttpTimes } from './timeouts.ts';

/**
 * Keeps a connection open for a while after an answer that closes it and comes before the whole body. Node closes it at once;
 * the system then resets it, because bytes are unread, and the client loses the answer (RFC 9112 section 9.6). What still
 * arrives is read and dropped.
 */
export function lingerOnClose(
  app: FastifyInstance,
  times: Pick<HttpTimes, 'lingerMs' | 'lingerIdleMs'>,
): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { complete, destroyed, readableEnded } = request.raw;
    const isCut = !complete && !readableEnded && !destroyed;
    if (isCut && reply.getHeader('connection') === 'close') endAfterBody(request.raw, reply.raw, times);
    done(null, payload);
  });
}

/** Sends the answer at once, and ends it, which closes the connection, when the body ended or exceeds a limit. */
function endAfterBody(
  request: IncomingMessage,
  response: ServerResponse,
  { lingerMs, lingerIdleMs }: Pick<HttpTimes, 'lingerMs' | 'lingerIdleMs'>,
): void {
  const end = response.end.bind(response);
  response.end = (...[payload]: unknown[]): ServerResponse => {
    response.end = end;
    if (typeof payload === 'string' || payload instanceof Uint8Array) response.write(payload);
    else response.flushHeaders();
    let bytes = 0;
    const close = (): void => {
      clearTimeout(whole);
      clearTimeout(idle);
      request.off('data', drop).off('end', close).off('close', close);
      end();
    };
    const drop = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      idle.refresh();
      if (bytes > LINGER_BYTES) close();
    };
    const whole = setTimeout(close, lingerMs);
    const idle = setTimeout(close, lingerIdleMs);
    request.on('data', drop).once('end', close).once('close', close).resume();
    return response;
  };
}
