import type { App } from '@sentinel-node/platform';
import { memberOf, TOKEN_HEADER } from './authenticate.ts';
import { orgParams } from './params.ts';
import type { ReadRoutesDeps } from './read-context.ts';

/** Server-sent events (WHATWG HTML, 9.2), read with fetch so that the token is in a header. */
export function streamRoutes(app: App, { hub }: ReadRoutesDeps): void {
  // Before the server waits for answers under way: a stream is one that would not end.
  app.addHook('preClose', (done) => {
    hub.endAll();
    done();
  });

  app.get('/stream/:orgId', {
    config: { access: 'member' },
    exposeHeadRoute: false,
    schema: { tags: ['Stream'], params: orgParams },
    handler: (request, reply) => {
      const { orgId, userId, role } = memberOf(request);
      hub.checkRoom(orgId, userId);
      const lastEventId = request.headers['last-event-id'];
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // A proxy in front (nginx) must not hold frames back.
        'x-accel-buffering': 'no',
      });
      raw.flushHeaders();
      hub.connect({
        orgId,
        token: String(request.headers[TOKEN_HEADER]),
        viewer: { userId, role },
        out: raw,
        lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
      });
    },
  });
}
