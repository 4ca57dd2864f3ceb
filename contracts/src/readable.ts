/**
 * Reads answers of a later version: consoles stay open, or in a cache, while servers are upgraded. What people and agents send is
 * checked by the closed schemas themselves.
 */
import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { isRecord } from './is-record.ts';
import { PATH_PATTERN } from './schemas/common.ts';
import { VISIBLE_PATTERN } from './visible.ts';

declare const unknownWord: unique symbol;
/** A word of an enumeration that this version does not know. It means nothing here: neither good nor bad. */
export type UnknownWord = string & { readonly [unknownWord]: true };

/** What `readAnswer` gives: each enumeration may have words that this version does not know. */
export type Readable<T> = T extends string
  ? string extends T
    ? T
    : T | UnknownWord
  : { [K in keyof T]: Readable<T[K]> };

/** The parts of JSON Schema that contracts use. */
interface Schema extends TSchema {
  readonly type?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
  readonly maxItems?: number;
}

/**
 * Returns an answer of this version or of a later one, without the members that the schema does not know, at every depth;
 * undefined when a member is missing or has another type. Unknown words of enumerations are taken as they are.
 */
export function readAnswer<S extends TSchema>(schema: S, answer: unknown): Readable<Static<S>> | undefined {
  // Of this version, which is usual: nothing is to be left out.
  if (isOfThisVersion(schema, answer)) return answer;
  const known = withoutUnknown(schema, answer);
  return isReadable(schema, known) ? known : undefined;
}

const isOfThisVersion = <S extends TSchema>(schema: S, answer: unknown): answer is Readable<Static<S>> =>
  Check(schema, answer);

/** Returns whether an answer fits the schema but for members and words that a later version added. */
export const isReadable = <S extends TSchema>(schema: S, answer: unknown): answer is Readable<Static<S>> =>
  Check(opened(schema), answer);

function withoutUnknown(schema: Schema, value: unknown): unknown {
  const { anyOf, properties, items } = schema;
  if (anyOf !== undefined) {
    const fitting = anyOf.find((one) => isReadable(one, value));
    return fitting === undefined ? value : withoutUnknown(fitting, value);
  }
  if (items !== undefined && Array.isArray(value)) return value.map((one) => withoutUnknown(items, one));
  if (properties === undefined || !isRecord(value)) return value;
  const isClosed = schema.additionalProperties === false;
  const known = Object.entries(value).filter(([name]) => !isClosed || Object.hasOwn(properties, name));
  return Object.fromEntries(
    known.map(([name, one]) => [name, withoutUnknown(properties[name] ?? {}, one)] as const),
  );
}

/** Forms of names, notes and paths. Earlier versions took others. */
const OF_NEW_INPUT: ReadonlySet<string> = new Set([VISIBLE_PATTERN, PATH_PATTERN]);

/** The opened schema of each schema. @boundedBy the schemas in the code */
const openedSchemas = new WeakMap<Schema, Schema>();

/**
 * Returns the schema with unknown members, words of enumerations and longer lists and texts allowed: lists of words grow with the words,
 * and limits of what may be typed change.
 */
function opened(schema: Schema): Schema {
  const known = openedSchemas.get(schema);
  if (known !== undefined) return known;
  const { additionalProperties, maxItems: _, maxLength: __, pattern, ...rest } = schema;
  const { anyOf, properties, items } = schema;
  const made: Schema = schema.enum?.every((one) => typeof one === 'string')
    ? { type: 'string', minLength: 1 }
    : {
        ...rest,
        ...(pattern !== undefined && !OF_NEW_INPUT.has(pattern) && { pattern }),
        ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
        ...(anyOf && { anyOf: anyOf.map(opened) }),
        ...(items && { items: opened(items) }),
        ...(properties && {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, opened(one)]),
          ),
        }),
      };
  openedSchemas.set(schema, made);
  return made;
}
