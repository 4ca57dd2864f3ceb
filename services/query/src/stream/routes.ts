import type { App } from '@sentinel-node/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { memberOf, tokenOf } from '../http/caller.ts';
import { orgParams } from '../http/params.ts';
import type { StreamHub } from './hub.ts';

/**
 * Serves server-sent events (WHATWG HTML, 9.2). The console reads them with fetch, so that the token is in a header.
 */
export function streamRoute(app: App, hub: StreamHub): void {
  // Runs before the server waits for running answers, because a stream never ends on its own.
  app.addHook('preClose', (done) => {
    hub.endAll();
    done();
  });

  app.get('/stream/:orgId', {
    config: { access: 'member', deviceLimit: 'answer' },
    exposeHeadRoute: false,
    schema: { tags: ['Stream'], params: orgParams },
    handler: (request, reply) => {
      const { orgId, userId } = memberOf(request);
      const place = hub.enter(orgId, userId);
      const { raw } = reply;
      raw.once('close', () => place.release());
      reply.hijack();
      // A client that left during authentication has emitted `close` already.
      if (raw.destroyed || raw.socket?.destroyed !== false) return place.release();
      try {
        begin(hub, request, reply);
      } catch (error) {
        // The answer may have begun, so the only way out is to end the connection.
        request.log.error({ err: error }, 'a live stream could not be opened');
        raw.destroy();
        place.release();
      }
    },
  });
}

function begin(hub: StreamHub, request: FastifyRequest, reply: FastifyReply): void {
  const { orgId, userId, role, serviceToken } = memberOf(request);
  const lastEventId = request.headers['last-event-id'];
  const { raw } = reply;
  raw.writeHead(200, {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Fastify's headers are texts here; node's type has numbers and lists too
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // A proxy in front (nginx) must not buffer frames.
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  hub.connect({
    orgId,
    token: tokenOf(request) ?? '',
    viewer: { userId, role },
    limits: serviceToken?.limits ?? null,
    out: raw,
    lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
  });
}
