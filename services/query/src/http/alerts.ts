import {
  AlertSchema,
  AlertsQuerySchema,
  type AlertsQuery,
  AlertsSchema,
  ERRORS,
  TurnedOffAlertsSchema,
  TurnOffAlertSchema,
  TurnOffAlertsSchema,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { turnOff, turnOffSeveral } from '../claims/index.ts';
import { exportAlerts } from '../exports/index.ts';
import { readAlert, readAlerts, type Scope } from '../reads/index.ts';
import { memberOf } from './authenticate.ts';
import { expectedOf, tagged } from './entity-tags.ts';
import { sendExport } from './export.ts';
import { deviceParams, orgParams } from './params.ts';
import { deviceItemParams, fileItemParams } from './read-params.ts';
import type { ReadRoutesDeps } from './read-context.ts';

const tags = ['Alerts'];
const list = { tags, querystring: AlertsQuerySchema, response: { 200: AlertsSchema } };

export function alertRoutes(app: App, deps: ReadRoutesDeps): void {
  alertReads(app, deps);

  app.put('/alerts/turnoff/:orgId/:deviceId/:fileId/:id', {
    config: { access: 'member' },
    schema: {
      tags,
      params: fileItemParams,
      body: requestSchema(TurnOffAlertSchema, AlertSchema),
      response: { 200: AlertSchema },
    },
    handler: async (request, reply) => {
      const command = { ...request.body, expected: expectedOf(request) };
      return tagged(reply, await turnOff(deps.turnOff, request.params, command, memberOf(request)));
    },
  });

  app.put('/alerts/turnoff/:orgId', {
    config: { access: 'member' },
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(TurnOffAlertsSchema, AlertSchema),
      response: { 200: TurnedOffAlertsSchema },
    },
    handler: async (request) => {
      const { ids, note, status } = request.body;
      const caller = memberOf(request);
      const done = await turnOffSeveral(deps.turnOff, caller.orgId, ids, { note, status }, caller);
      const answers = done.map(({ id, code }) => ({
        id,
        status: code === null ? 200 : ERRORS[code].status,
        code,
      }));
      return { answers };
    },
  });
}

function alertReads(app: App, deps: ReadRoutesDeps): void {
  const { reads } = deps;
  app.get('/alerts/:orgId', {
    config: { access: 'member' },
    schema: { ...list, params: orgParams },
    handler: (request, reply) => answer(deps, request.params, request.query, request, reply as never),
  });
  app.get('/alerts/:orgId/:deviceId', {
    config: { access: 'member' },
    schema: { ...list, params: deviceParams },
    handler: (request, reply) => answer(deps, request.params, request.query, request, reply as never),
  });
  app.get('/alerts/:orgId/:deviceId/:id', {
    config: { access: 'member' },
    schema: { tags, params: deviceItemParams, response: { 200: AlertSchema } },
    handler: async ({ params }, reply) => tagged(reply, await readAlert(reads, params)),
  });
}

async function answer(
  { reads, exports }: ReadRoutesDeps,
  scope: Omit<Scope, 'fileId'>,
  { toExport = false, ...query }: AlertsQuery,
  given: unknown,
  reply: FastifyReply,
): Promise<never> {
  const request = given as FastifyRequest;
  const answered = toExport
    ? sendExport(exports, request, reply, await exportAlerts(reads, scope, query, memberOf(request)))
    : await readAlerts(reads, scope, query);
  // A page, or the reply that an export is being sent with: the route's type knows the page only.
  return answered as never;
}
