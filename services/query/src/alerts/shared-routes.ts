import { AlertSchema, EmptySchema, SharedAlertSchema, ShareAlertSchema } from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { actorOf, callerOf } from '../http/caller.ts';
import { expectedOf } from '../http/entity-tags.ts';
import { deviceItemParams, itemParams } from '../http/params.ts';
import { perUser } from '../http/rate-limits.ts';
import { readSharedAlert, shareAlert, unshareAlert } from './share.ts';

const tags = ['Alerts'];

export function sharedAlertRoutes(app: App, context: QueryContext): void {
  app.get('/alerts/link/shared/data/:id', {
    config: { access: 'public' },
    schema: { tags, params: itemParams, response: { 200: SharedAlertSchema } },
    handler: async ({ params }, reply) => {
      void reply.headers({
        'x-robots-tag': 'noindex',
        'referrer-policy': 'no-referrer',
      });
      return readSharedAlert(context, params.id);
    },
  });

  app.post('/alerts/share/:orgId/:deviceId/:id', {
    config: {
      access: 'member',
      deviceLimit: 'deviceId',
      rateLimit: perUser(context.config.limits.sharePerMinute),
    },
    schema: {
      tags,
      params: deviceItemParams,
      body: requestSchema(ShareAlertSchema, AlertSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const caller = { ...callerOf(request), walletEmail: request.session?.email ?? null };
      await shareAlert(context, request.params, request.body, caller, expectedOf(request));
      return {};
    },
  });

  app.delete('/alerts/share/:orgId/:deviceId/:id', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: {
      tags,
      params: deviceItemParams,
      body: requestSchema(EmptySchema, AlertSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      await unshareAlert(context, request.params, actorOf(request), expectedOf(request));
      return {};
    },
  });
}
