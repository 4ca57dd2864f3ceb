/** Reads evidence so that there is one way to understand it: no repeated or unknown members, no other spelling of a value. */
import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';

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

/** Pointer of the first member that is unknown, missing or of another form; the empty text is the whole document. */
function firstMisfit(schema: TSchema, value: unknown): string {
  const pointers = [...Errors(schema, value)].flatMap(({ instancePath, params }) => {
    const { additionalProperties, requiredProperties } = params as {
      readonly additionalProperties?: readonly string[];
      readonly requiredProperties?: readonly string[];
    };
    const names = additionalProperties ?? requiredProperties ?? [];
    return names.length === 0
      ? [instancePath]
      : names.map((name) => `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  });
  // A part that may be null is told as a whole too; the longest pointer names the member itself.
  return pointers.reduce(
    (longest, one) => (one.split('/').length > longest.split('/').length ? one : longest),
    '',
  );
}

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
      kept.push(text.slice(from, at));
      from = at + 1;
    }
    if (depth > nesting) return undefined;
  }
  return kept.join('') + text.slice(from);
}
