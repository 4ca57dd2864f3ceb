import { ChainRequestSchema, LinksSchema } from '@sentinel-node/contracts';
import type { App } from '@sentinel-node/platform';
import { readLinks } from '../reads/index.ts';
import { fileParams } from './params.ts';
import type { ReadRoutesDeps } from './read-context.ts';

export function chainRoutes(app: App, { reads }: ReadRoutesDeps): void {
  app.put('/files/chain/:orgId/:deviceId/:fileId', {
    config: { access: 'member' },
    schema: { tags: ['Files'], params: fileParams, body: ChainRequestSchema, response: { 200: LinksSchema } },
    handler: async ({ params, body }) => readLinks(reads, params, body),
  });
}
