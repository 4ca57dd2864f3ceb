import { AlertSchema, EmptySchema, SharedAlertSchema, ShareAlertSchema } from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import { readSharedAlert, shareAlert, unshareAlert } from '../claims/index.ts';
import { memberOf } from './authenticate.ts';
import { expectedOf } from './entity-tags.ts';
import { perUser } from './rate-limits.ts';
import { deviceItemParams, itemParams } from './read-params.ts';
import type { ReadRoutesDeps } from './read-context.ts';

const tags = ['Alerts'];

export function sharedAlertRoutes(app: App, { reads, share, sharesPerMinute }: ReadRoutesDeps): void {
  app.get('/alerts/link/shared/data/:id', {
    config: { access: 'public' },
    schema: { tags, params: itemParams, response: { 200: SharedAlertSchema } },
    handler: async ({ params }, reply) => {
      void reply.headers({
        'x-robots-tag': 'noindex',
        'referrer-policy': 'no-referrer',
      });
      return readSharedAlert(reads, params.id);
    },
  });

  app.post('/alerts/share/:orgId/:deviceId/:id', {
    config: { access: 'member', rateLimit: perUser(sharesPerMinute) },
    schema: {
      tags,
      params: deviceItemParams,
      body: requestSchema(ShareAlertSchema, AlertSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { sharedEmailAddresses } = request.body;
      const caller = memberOf(request);
      await shareAlert(share, request.params, sharedEmailAddresses, caller, expectedOf(request));
      return {};
    },
  });

  app.delete('/alerts/share/:orgId/:deviceId/:id', {
    config: { access: 'member' },
    schema: {
      tags,
      params: deviceItemParams,
      body: requestSchema(EmptySchema, AlertSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      await unshareAlert(share, request.params, memberOf(request), expectedOf(request));
      return {};
    },
  });
}
