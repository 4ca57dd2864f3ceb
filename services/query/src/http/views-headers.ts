import { VIEWS_HEADERS } from '@sentinel-node/contracts';
import type { FastifyInstance } from 'fastify';
import type { ViewsAge } from '../views/index.ts';

/** Tells in each answer how old the views are, as it was known before the answer's reads: they show this at least. */
export function tellViewsAge(app: Pick<FastifyInstance, 'addHook'>, age: Pick<ViewsAge, 'word'>): void {
  app.addHook('onRequest', async (_, reply) => {
    const { state, asOf } = age.word;
    void reply.header(VIEWS_HEADERS.state, state);
    if (asOf !== null) void reply.header(VIEWS_HEADERS.asOf, asOf);
  });
}
