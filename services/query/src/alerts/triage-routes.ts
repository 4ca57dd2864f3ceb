import {
  AlertCountsQuerySchema,
  AlertCountsSchema,
  AlertGroupsQuerySchema,
  AlertGroupsSchema,
  AlertHistorySchema,
  AssignAlertsSchema,
  CommentSchema,
  ERRORS,
  TurnedOffAlertsSchema,
} from '@sentinel-node/contracts';
import type { App } from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import { callerOf, scopeOfCall } from '../http/caller.ts';
import { deviceItemParams, orgParams } from '../http/params.ts';
import { readAlertCounts, readAlertGroups } from './read-counts.ts';
import { assignAlerts, commentAlert, readAlertHistory } from './triage.ts';
import type { AlertContext } from './turn-off.ts';

const tags = ['Alerts'];

export function triageRoutes(app: App, context: AlertContext): void {
  app.get('/alerts/counts/:orgId', {
    config: { access: 'member', deviceLimit: 'answer' },
    schema: {
      tags,
      params: orgParams,
      querystring: AlertCountsQuerySchema,
      response: { 200: AlertCountsSchema },
    },
    handler: (request) => readAlertCounts(context, scopeOfCall(request), request.query),
  });

  app.get('/alerts/groups/:orgId', {
    config: { access: 'member', deviceLimit: 'answer' },
    schema: {
      tags,
      params: orgParams,
      querystring: AlertGroupsQuerySchema,
      response: { 200: AlertGroupsSchema },
    },
    handler: (request) => readAlertGroups(context, scopeOfCall(request), request.query),
  });

  app.get('/alerts/history/:orgId/:deviceId/:id', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: { tags, params: deviceItemParams, response: { 200: AlertHistorySchema } },
    handler: ({ params }) => readAlertHistory(context, params),
  });

  app.put('/alerts/assign/:orgId', {
    config: { access: 'member', deviceLimit: 'answer' },
    schema: { tags, params: orgParams, body: AssignAlertsSchema, response: { 200: TurnedOffAlertsSchema } },
    handler: async (request) => {
      const { ids, userId } = request.body;
      const done = await assignAlerts(context, scopeOfCall(request), callerOf(request), ids, userId);
      return {
        answers: done.map(({ id, code }) => ({
          id,
          status: code === null ? 200 : ERRORS[code].status,
          code,
        })),
      };
    },
  });

  app.post('/alerts/comments/:orgId/:deviceId/:id', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: { tags, params: deviceItemParams, body: CommentSchema, response: { 200: AlertHistorySchema } },
    handler: async (request) => {
      await commentAlert(context, request.params, callerOf(request), request.body.text);
      return afterChange(() => readAlertHistory(context, request.params));
    },
  });
}
