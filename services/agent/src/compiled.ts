import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** Returns a function that compiles the schema at its first call: most runs of a command need few of its schemas. */
export function compiled<const Schema extends TSchema>(
  schema: Schema,
): () => ReturnType<typeof Compile<Schema>> {
  let validator: ReturnType<typeof Compile<Schema>> | undefined;
  return () => (validator ??= Compile(schema));
}
