/** Reads evidence so that there is one way to understand it: no repeated or unknown members, no other spelling of a value. */
import { IsArray, IsObject, IsUnion, type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/value';

export type UnreadableJson = 'TOO_LARGE' | 'NOT_JSON' | 'AMBIGUOUS_JSON' | 'UNKNOWN_FORM';

export interface JsonLimits {
  readonly documentBytes: number;
  /** Objects and lists in one another. */
  readonly nesting: number;
}

export type StrictJson<T> =
  | { readonly value: T }
  | {
      readonly problem: UnreadableJson;
      /** Pointer (RFC 6901) of the first member that does not fit; of UNKNOWN_FORM alone. */
      readonly member?: string;
    };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BLANKS = new Set(' \t\r\n');
const OPENING = new Set('{[');
const CLOSING = new Set('}]');

/**
 * The value, or why there is none. Blanks between tokens are free; all else must be spelled as `JSON.stringify` spells
 * it (RFC 8259 lets a repeated member mean either value, and readers differ).
 * @param document UTF-8
 */
export function readStrictJson<const T extends TSchema>(
  document: Uint8Array,
  schema: T,
  limits: JsonLimits,
): StrictJson<Static<T>> {
  if (document.length > limits.documentBytes) return { problem: 'TOO_LARGE' };
  let packed: string | undefined;
  let value: unknown;
  try {
    const text = decoder.decode(document);
    packed = withoutBlanks(text, limits.nesting);
    if (packed === undefined) return { problem: 'UNKNOWN_FORM' };
    // Not what is packed: a blank within a number or a word would be gone from it.
    value = JSON.parse(text);
  } catch {
    return { problem: 'NOT_JSON' };
  }
  if (JSON.stringify(value) !== packed) return { problem: 'AMBIGUOUS_JSON' };
  if (Check(schema, value)) return { value };
  return { problem: 'UNKNOWN_FORM', member: firstMisfit(schema, value) };
}

/**
 * Pointer of the deepest member, the first of several, that is unknown, missing or of another form; the empty text is the
 * whole document. Own code for the forms used here: the library's list of errors is as large as its check.
 */
function firstMisfit(schema: TSchema, value: unknown, at = ''): string {
  const inside = misfitsInside(schema, value, at);
  return inside.reduce((deepest, one) => (depthOf(one) > depthOf(deepest) ? one : deepest), at);
}

const depthOf = (pointer: string): number => pointer.split('/').length;

/** Empty: it is the value as a whole. */
function misfitsInside(schema: TSchema, value: unknown, at: string): string[] {
  if (IsUnion(schema)) return schema.anyOf.map((one) => firstMisfit(one, value, at));
  if (IsArray(schema) && Array.isArray(value)) {
    // Millions of items that do not fit would take a pointer each.
    const most: unknown = Reflect.get(schema, 'maxItems');
    if (typeof most === 'number' && value.length > most) return [];
    return value.flatMap((item, index) =>
      Check(schema.items, item) ? [] : [firstMisfit(schema.items, item, `${at}/${index}`)],
    );
  }
  if (!IsObject(schema) || !isRecord(value)) return [];
  const { properties, required = [] } = schema;
  // All have one depth: the first stands for the others.
  const first =
    required.find((name) => !Object.hasOwn(value, name)) ??
    Object.keys(value).find((name) => !Object.hasOwn(properties, name));
  const wrong = Object.entries(properties).flatMap(([name, member]) =>
    !Object.hasOwn(value, name) || Check(member, value[name])
      ? []
      : [firstMisfit(member, value[name], pointerTo(at, name))],
  );
  return [...(first === undefined ? [] : [pointerTo(at, first)]), ...wrong];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const pointerTo = (at: string, name: string): string =>
  `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** undefined when objects and lists stand deeper in one another than allowed. One pass, whatever the text is. */
function withoutBlanks(text: string, nesting: number): string | undefined {
  const kept: string[] = [];
  let from = 0;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') isInText = !isInText;
    else if (isInText) at += character === '\\' ? 1 : 0;
    else if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character)) depth -= 1;
    else if (BLANKS.has(character)) {
      if (at > from) kept.push(text.slice(from, at));
      from = at + 1;
    }
    if (depth > nesting) return undefined;
  }
  return kept.join('') + text.slice(from);
}
