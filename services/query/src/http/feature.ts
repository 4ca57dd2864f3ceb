import type { FastifyBaseLogger, FastifyPluginAsync, RawServerDefault } from 'fastify';
import type { TypeboxProvider } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';

/** One feature of the service: a Fastify plugin that adds its routes. */
export type Feature<Context extends object = QueryContext> = FastifyPluginAsync<
  Context,
  RawServerDefault,
  TypeboxProvider,
  FastifyBaseLogger
>;
