import { SavedViewsSchema } from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { callerOf, memberOf } from '../http/caller.ts';
import { expectedOf, tagged } from '../http/entity-tags.ts';
import { orgParams } from '../http/params.ts';
import { readSavedViews, saveViews } from './saved-views.ts';

const tags = ['Alerts'];

export function savedViewRoutes(app: App, { store }: Pick<QueryContext, 'store'>): void {
  app.get('/alerts/views/:orgId', {
    config: { access: 'member' },
    schema: { tags, params: orgParams, response: { 200: SavedViewsSchema } },
    handler: async (request, reply) => tagged(reply, await readSavedViews(store, memberOf(request).userId)),
  });

  app.put('/alerts/views/:orgId', {
    config: { access: 'member' },
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(SavedViewsSchema, SavedViewsSchema),
      response: { 200: SavedViewsSchema },
    },
    handler: async (request, reply) =>
      tagged(reply, await saveViews(store, callerOf(request), request.body.views, expectedOf(request))),
  });
}
