import type { TSchema } from 'typebox';

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

/**
 * Returns a function that converts texts to the schema's numbers and booleans. A text that cannot be converted stays as
 * it is, and fails the check.
 */
export function compileCoercion(schema: TSchema): (value: unknown) => unknown {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
  const wanted = Object.entries(properties).flatMap(([name, { type }]) =>
    type === 'integer' || type === 'number' || type === 'boolean' ? [{ name, type }] : [],
  );
  return (value) => {
    const members: Record<string, unknown> = { ...Object(value) };
    for (const { name, type } of wanted) {
      const text = members[name];
      if (typeof text === 'string') members[name] = type === 'boolean' ? asBoolean(text) : asNumber(text);
    }
    return members;
  };
}

const asNumber = (text: string): unknown => (NUMBER.test(text) ? Number(text) : text);
const asBoolean = (text: string): unknown => (Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : text);
