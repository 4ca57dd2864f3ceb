/** Reads evidence without ambiguity: refuses repeated or unknown members and other spellings of a number. */
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
 * Returns the value, or the problem. Blanks between tokens and escapes in texts are free, because programs that store JSON
 * write their own (Python writes each dash of a checkpoint as `\u2014`). Everything else must be spelled as
 * `JSON.stringify` spells it (RFC 8259 lets a repeated member mean either value, and readers differ).
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
    packed = respelled(text, limits.nesting);
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
 * Returns the text of the first member `format`, wherever it is, without reading the document strictly; undefined without one.
 * Tells what a document claims to be.
 * @param document UTF-8
 */
export function claimedFormat(document: Uint8Array): string | undefined {
  const spelled = /"format"\s*:\s*("(?:[^"\\]|\\.){1,256}")/.exec(new TextDecoder().decode(document))?.[1];
  try {
    return spelled === undefined ? undefined : String(JSON.parse(spelled));
  } catch {
    return undefined;
  }
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

/**
 * Removes blanks outside texts and spells texts with escapes as `JSON.stringify` does, in one pass. Returns undefined when
 * objects and lists are nested too deeply.
 * @throws SyntaxError when a text with escapes is not JSON
 */
function respelled(text: string, nesting: number): string | undefined {
  const kept: string[] = [];
  let from = 0;
  let depth = 0;
  const keep = (until: number): void => {
    if (until > from) kept.push(text.slice(from, until));
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      const { end, hasEscapes } = textAt(text, at);
      if (hasEscapes) {
        keep(at);
        kept.push(JSON.stringify(JSON.parse(text.slice(at, end))));
        from = end;
      }
      at = end - 1;
    } else if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character)) depth -= 1;
    else if (BLANKS.has(character)) {
      keep(at);
      from = at + 1;
    }
    if (depth > nesting) return undefined;
  }
  keep(text.length);
  return kept.join('');
}

/** Returns the place after the text that begins at `start`. */
function textAt(text: string, start: number): { readonly end: number; readonly hasEscapes: boolean } {
  let hasEscapes = false;
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return { end: at + 1, hasEscapes };
    if (text[at] === '\\') {
      hasEscapes = true;
      at += 1;
    }
  }
  return { end: text.length, hasEscapes };
}
