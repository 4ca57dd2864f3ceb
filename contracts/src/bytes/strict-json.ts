/** Reads evidence without ambiguity: refuses repeated or unknown members and other spellings of a value. */
import { IsArray, IsObject, IsUnion, type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { isRecord } from '../is-record.ts';

export type UnreadableJson = 'TOO_LARGE' | 'NOT_JSON' | 'AMBIGUOUS_JSON' | 'UNKNOWN_FORM';

export interface JsonLimits {
  readonly documentBytes: number;
  /** Depth of nested objects and lists. */
  readonly nesting: number;
}

export type StrictJson<T> =
  | { readonly value: T }
  | {
      readonly problem: UnreadableJson;
      /** Pointer (RFC 6901) of the first member that does not fit; only for UNKNOWN_FORM. */
      readonly member?: string;
    };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BLANKS = new Set(' \t\r\n');
const OPENING = new Set('{[');
const CLOSING = new Set('}]');

/**
 * Returns the value, or the problem. Blanks between tokens are free; everything else must be spelled as `JSON.stringify`
 * spells it (RFC 8259 lets a repeated member mean either value, and readers differ).
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
    // Parses `text`, because `packed` has lost any blank within a number or a word, which is an error.
    value = JSON.parse(text);
  } catch {
    return { problem: 'NOT_JSON' };
  }
  if (JSON.stringify(value) !== packed) return { problem: 'AMBIGUOUS_JSON' };
  if (Check(schema, value)) return { value };
  return { problem: 'UNKNOWN_FORM', member: firstMisfit(schema, value) };
}

/**
 * Returns the pointer of the deepest member, the first of several, that is unknown, missing or of another form; empty for
 * the whole document. Own code for the forms used here: the library's list of errors is as large as its check.
 */
function firstMisfit(schema: TSchema, value: unknown, at = ''): string {
  const inside = misfitsInside(schema, value, at);
  return inside.reduce((deepest, one) => (depthOf(one) > depthOf(deepest) ? one : deepest), at);
}

const depthOf = (pointer: string): number => pointer.split('/').length;

/** Returns pointers to members that do not fit; empty when the value as a whole does not fit. */
function misfitsInside(schema: TSchema, value: unknown, at: string): string[] {
  if (IsUnion(schema)) return schema.anyOf.map((one) => firstMisfit(one, value, at));
  if (IsArray(schema) && Array.isArray(value)) {
    // A list beyond its limit could hold millions of wrong items, with a pointer each.
    const most: unknown = Reflect.get(schema, 'maxItems');
    if (typeof most === 'number' && value.length > most) return [];
    return value.flatMap((item, index) =>
      Check(schema.items, item) ? [] : [firstMisfit(schema.items, item, `${at}/${index}`)],
    );
  }
  if (!IsObject(schema) || !isRecord(value)) return [];
  const { properties, required = [] } = schema;
  // Missing and unknown members all have the same depth, so the first is enough.
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

const pointerTo = (at: string, name: string): string =>
  `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Removes blanks outside texts, in one pass. Returns undefined when objects and lists are nested too deeply. */
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
