import type { FastifyInstance } from 'fastify';
import type { App } from './create-http.ts';

/** Returns the same server typed for plugins and hooks, whose types have no type provider. */
export function plainInstance(app: App): FastifyInstance {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a provider is a type alone
  return app as unknown as FastifyInstance;
}
