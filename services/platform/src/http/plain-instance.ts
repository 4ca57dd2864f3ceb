import type { FastifyInstance } from 'fastify';
import type { App } from './create-http.ts';

/** The same server for plugins and hooks, whose types know no type provider. */
export function plainInstance(app: App): FastifyInstance {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- a provider is a type alone
  return app as unknown as FastifyInstance;
}
