import { ChainRequestSchema, LinksSchema } from '@sentinel-node/contracts';
import type { App } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { fileParams } from '../http/params.ts';
import { readLinks } from './read-links.ts';

export function chainRoute(app: App, context: QueryContext): void {
  app.put('/files/chain/:orgId/:deviceId/:fileId', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: { tags: ['Files'], params: fileParams, body: ChainRequestSchema, response: { 200: LinksSchema } },
    handler: async ({ params, body }) => readLinks(context, params, body),
  });
}
