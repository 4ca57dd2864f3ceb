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
import { actorOf, memberOf, scopeOfCall } from '../http/caller.ts';
import { plainCall, type PlainCall } from '../http/plain-call.ts';
import { expectedOf, tagged } from '../http/entity-tags.ts';
import { deviceItemParams, deviceParams, fileItemParams, orgParams } from '../http/params.ts';
import { sendExport } from '../http/send-export.ts';
import type { Scope } from '../views/index.ts';
import { exportAlerts } from './export.ts';
import { readAlerts } from './list-alerts.ts';
import { readAlert } from './read-alerts.ts';
import { type AlertContext, turnOff, turnOffSeveral } from './turn-off.ts';

const tags = ['Alerts'];
const list = { tags, querystring: AlertsQuerySchema, response: { 200: AlertsSchema } };

export function alertRoutes(app: App, context: AlertContext): void {
  alertReads(app, context);

  app.put('/alerts/turnoff/:orgId/:deviceId/:fileId/:id', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: {
      tags,
      params: fileItemParams,
      body: requestSchema(TurnOffAlertSchema, AlertSchema),
      response: { 200: AlertSchema },
    },
    handler: async (request, reply) => {
      const command = { ...request.body, expected: expectedOf(request) };
      return tagged(reply, await turnOff(context, request.params, command, actorOf(request)));
    },
  });

  app.put('/alerts/turnoff/:orgId', {
    config: { access: 'member', deviceLimit: 'answer' },
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(TurnOffAlertsSchema, AlertSchema),
      response: { 200: TurnedOffAlertsSchema },
    },
    handler: async (request) => {
      const done = await turnOffSeveral(context, scopeOfCall(request), request.body, actorOf(request));
      const answers = done.map(({ id, code }) => ({
        id,
        status: code === null ? 200 : ERRORS[code].status,
        code,
      }));
      return { answers };
    },
  });
}

function alertReads(app: App, context: AlertContext): void {
  app.get('/alerts/:orgId', {
    config: { access: 'member', deviceLimit: 'answer' },
    schema: { ...list, params: orgParams },
    handler: (request, reply) =>
      answer(context, scopeOfCall(request), request.query, plainCall(request, reply)),
  });
  app.get('/alerts/:orgId/:deviceId', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: { ...list, params: deviceParams },
    handler: (request, reply) => answer(context, request.params, request.query, plainCall(request, reply)),
  });
  app.get('/alerts/:orgId/:deviceId/:id', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: { tags, params: deviceItemParams, response: { 200: AlertSchema } },
    handler: async ({ params }, reply) => tagged(reply, await readAlert(context, params)),
  });
}

async function answer(
  context: AlertContext,
  scope: Omit<Scope, 'fileId'>,
  { toExport = false, ...query }: AlertsQuery,
  { request, reply }: PlainCall,
): Promise<never> {
  const answered = toExport
    ? await sendExport(context.exports, request, reply, () =>
        exportAlerts(context, scope, query, memberOf(request)),
      )
    : await readAlerts(context, scope, query);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route's type knows no export's reply
  return answered as never;
}
