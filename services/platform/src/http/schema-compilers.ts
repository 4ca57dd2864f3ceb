/** Compiles the checkers and serializers of a route at its first use: most processes use few of their routes. */
import { createRequire } from 'node:module';
import type { FastifyServerOptions } from 'fastify';
import { lazily } from '../ambient/lazily.ts';
import { withNullable } from './nullable.ts';
import { typeboxCompiler } from './validation.ts';

type CompilersFactory = NonNullable<
  NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
>;
type BuildSerializer = NonNullable<CompilersFactory['buildSerializer']>;

/** Replaces Fastify's own compilers, which take tens of megabytes even for unused routes. */
export const schemaController: NonNullable<FastifyServerOptions['schemaController']> = {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- declared for JSON schemas of Ajv, whose place it takes
  compilersFactory: { buildValidator: () => typeboxCompiler as never, buildSerializer },
};

/** The serializer compiler that Fastify itself would use. */
const selector = lazily(() => {
  const require = createRequire(createRequire(import.meta.url).resolve('fastify'));
  const compiler: () => BuildSerializer = require('@fastify/fast-json-stringify-compiler');
  return compiler();
});

function buildSerializer(...given: Parameters<BuildSerializer>): ReturnType<BuildSerializer> {
  const compile = lazily(() => selector()(...given));
  return (route) => {
    const serialize = lazily(() => compile()({ ...route, schema: withNullable(route.schema) }));
    return (data) => serialize()(data);
  };
}
