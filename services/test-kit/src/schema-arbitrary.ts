/** Generates values that fit a JSON schema, and similar values that may not fit. */
import { PATH_PATTERN, VISIBLE_PATTERN } from '@sentinel-node/contracts';
import fc from './properties.ts';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** The longest generated texts and lists. */
const SIZE = 40;
const NASTY = fc.constantFrom(
  '\u0000',
  '\ud800',
  '__proto__',
  "'; DROP TABLE users; --",
  '{"$gt":""}',
  '‮evil',
  '../../etc/passwd',
  '(a+)+$',
  '=cmd()',
  '🦊'.repeat(20),
);
const anyJson = fc.jsonValue({ maxDepth: 3 });

export function fitting(schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => fitting(one, known)));
  switch (schema.type) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {});
      const model = Object.fromEntries(members.map(([name, member]) => [name, fitting(member, known)]));
      return fc.record(model, { requiredKeys: [...(schema.required ?? [])] });
    }
    case 'array': {
      const { minItems = 0, maxItems = 4 } = schema;
      const size = { minLength: minItems, maxLength: Math.max(minItems, Math.min(4, maxItems)) };
      return fc.array(fitting(schema.items ?? {}, known), size);
    }
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? -10, max: Math.min(schema.maximum ?? 1e6, 2 ** 53 - 1) });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return text(schema, known);
    default:
      return anyJson;
  }
}

function text(
  { pattern, minLength = 0, maxLength = SIZE }: Schema,
  known: readonly string[],
): fc.Arbitrary<string> {
  const size = { minLength, maxLength: Math.min(maxLength, SIZE) };
  const free = fc.oneof(fc.string({ ...size, unit: 'binary' }), NASTY, fc.constantFrom(...known));
  if (pattern === undefined || pattern === PATH_PATTERN || pattern === VISIBLE_PATTERN) return free;
  const form = new RegExp(pattern);
  const made = { arbitrary: fc.stringMatching(form), weight: 3 };
  const fit = known.filter((one) => form.test(one));
  return fit.length === 0 ? made.arbitrary : fc.oneof(made, fc.constantFrom(...fit));
}

/** Generates mostly fitting values, often with one member replaced, removed or added, sometimes any value. */
export function nearly(schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> {
  const good = fitting(schema, known);
  const names = fc.constantFrom(
    ...Object.keys(schema.properties ?? {}),
    'surprise',
    '__proto__',
    'constructor',
  );
  const bent = fc
    .tuple(good, names, fc.oneof(anyJson, NASTY, fc.constant(undefined)))
    .map(([value, name, other]) =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries([...Object.entries(value), [name, other]])
        : value,
    );
  return fc.oneof(
    { arbitrary: good, weight: 5 },
    { arbitrary: bent, weight: 4 },
    { arbitrary: anyJson, weight: 1 },
  );
}
