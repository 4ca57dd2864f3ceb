import type { FastifyError, FastifyInstance } from 'fastify';
import type { Admission, Core } from '../core.ts';
import { answerOf } from './answers.ts';
import { bulkRoute } from './bulk.ts';
import { configurationRoute } from './configuration.ts';
import { addressOf, type DeviceParams } from './device-call.ts';
import { heartbeatRoute } from './heartbeat.ts';
import { reportRoute } from './reports.ts';

const PREFIX = '/api/v1';

/** Registers the calls of the monitoring agent (docs/protocol.md). */
export async function agentRoutes(app: FastifyInstance, core: Core): Promise<void> {
  await app.register(
    async (api) => {
      askWhoSentIt(api, core.reports);
      await api.register(async (scope) => {
        leaveBodyToHandler(scope, 'application/json');
        reportRoute(scope, core.reports);
        heartbeatRoute(scope, core.heartbeats);
        configurationRoute(scope, core.configuration);
      });
      await api.register(async (scope) => {
        leaveBodyToHandler(scope, 'application/x-ndjson');
        bulkRoute(scope, core.reports);
      });
    },
    { prefix: PREFIX },
  );
}

/** Leaves the body unread until its sender is known, and keeps the bytes of a report exactly as received. */
function leaveBodyToHandler(scope: FastifyInstance, contentType: string): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(contentType, (_request, _payload, done) => done(null));
}

/** Checks the sender before the answer that a body has the wrong type, as for every other answer. */
function askWhoSentIt(api: FastifyInstance, { devices }: Admission): void {
  api.setErrorHandler(async (error: FastifyError, request) => {
    if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all routes of this scope have them
      const address = addressOf(request, request.params as DeviceParams);
      await answerOf(devices.find(address));
    }
    throw error;
  });
}
