import type { FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { lazily } from '../ambient/lazily.ts';
import { ApiError, type FieldError } from './api-error.ts';
import { fieldErrors } from './field-errors.ts';
import { compileDropper } from './request-schema.ts';
import { compileCoercion } from './coercion.ts';

/** Types of `request.body`, `.query`, `.params` and of replies from the schemas of a route. */
export interface TypeboxProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}

export interface Checker<T> {
  check(value: unknown): value is T;
  /** Returns at most the first 8 errors; none for a valid value. */
  errors(value: unknown): FieldError[];
}

/**
 * Returns a check for values that do not arrive through a route: lines, records, foreign documents. The first use
 * compiles the check, because a process never uses most of its checks, and each takes memory.
 */
export function compileChecker<const T extends TSchema>(schema: T): Checker<Static<T>> {
  const compiled = lazily(() => Compile(schema));
  return {
    check: (value): value is Static<T> => compiled().Check(value),
    errors: (value) => fieldErrors(compiled().Errors(value)),
  };
}

/** Returns what of a value is not in the form of its schema; undefined for one in order. */
export function schemaFault(checker: Checker<unknown>, value: unknown): string | undefined {
  if (checker.check(value)) return undefined;
  return `it does not fit the schema at ${checker.errors(value)[0]?.path ?? ''}`;
}

const PARTS: Readonly<Record<string, string>> = {
  body: 'the body',
  querystring: 'the query',
  params: 'the path',
  headers: 'the headers',
};

/** Leaves bodies unchanged; converts texts of the query, the path and the headers to numbers and booleans. */
export const typeboxCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const checker = compileChecker(schema);
  const prepare = httpPart === 'body' ? bodyPreparation(schema) : compileCoercion(schema);
  return (given: unknown) => {
    const value = prepare(given);
    if (checker.check(value)) return { value };
    const detail = `${PARTS[httpPart] ?? httpPart} is not valid`;
    return { error: new ApiError('VALIDATION_FAILED', { detail, errors: checker.errors(value) }) };
  };
};

/** Treats an absent body as empty when none of its members is required. */
function bodyPreparation(schema: TSchema): (value: unknown) => unknown {
  const { type, required } = schema as { type?: unknown; required?: readonly string[] };
  const optional = type === 'object' && (required ?? []).length === 0;
  const drop = compileDropper(schema);
  return (value) => {
    const body = optional && (value === null || value === undefined) ? {} : value;
    return drop === undefined ? body : drop(body);
  };
}
