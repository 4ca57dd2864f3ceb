/** JSON Schema as fast-json-stringify takes it. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the schema with `nullable: true` in place of a choice between one schema and `null`. A serializer tries each schema of a
 * choice with a validator: compiling them took some 70 ms of the first answer with events, and their calls half of the time of
 * each row. The OpenAPI document keeps the choice, since `nullable` is no word of JSON Schema. For the same reason another choice stays
 * as it is, with all that is in it: a validator decides it.
 */
export function withNullable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullable);
  if (!isSchema(schema)) return schema;
  const { anyOf: choice, ...rest } = schema;
  if (choice === undefined)
    return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, withNullable(part)]));
  if (!Array.isArray(choice) || choice.length !== 2 || !choice.some(isNull)) return schema;
  const other: unknown = withNullable(choice.find((one) => !isNull(one)));
  if (!isSchema(other)) return schema;
  const type = other['type'] ?? (isOfTexts(other['enum']) ? 'string' : undefined);
  // The serializer takes `nullable` beside a type only.
  return typeof type === 'string' ? { ...rest, ...other, type, nullable: true } : schema;
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const isOfTexts = (values: unknown): boolean =>
  Array.isArray(values) && values.every((value) => typeof value === 'string');
const isNull = (value: unknown): boolean => isSchema(value) && value['type'] === 'null';
