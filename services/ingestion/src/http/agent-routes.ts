import type { FastifyInstance } from 'fastify';
import type { Core } from '../core.ts';
import { bulkRoute } from './bulk.ts';
import { configurationRoute } from './configuration.ts';
import { heartbeatRoute } from './heartbeat.ts';
import { reportRoute } from './reports.ts';

const PREFIX = '/api/v1';

/** The calls of the monitoring agent (docs/protocol.md). */
export async function agentRoutes(app: FastifyInstance, core: Core): Promise<void> {
  await app.register(
    async (api) => {
      await api.register(async (scope) => {
        leaveBodyToHandler(scope, 'application/json');
        reportRoute(scope, core);
        heartbeatRoute(scope, core);
        configurationRoute(scope, core);
      });
      await api.register(async (scope) => {
        leaveBodyToHandler(scope, 'application/x-ndjson');
        bulkRoute(scope, core);
      });
    },
    { prefix: PREFIX },
  );
}

/** Nothing of a body is read before its sender is known; and the bytes of a report are kept as they come. */
function leaveBodyToHandler(scope: FastifyInstance, contentType: string): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(contentType, (_request, _payload, done) => done(null));
}
