import type { TProperties, TSchema } from 'typebox';
import { isRecord } from '../is-record.ts';
import { IdSchema, TimestampSchema, UuidSchema } from '../schemas/common.ts';

/** Limits of what is accepted now. An earlier version may have accepted more. */
const LIMIT_NAMES: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
]);

/** Forms that every version asked for and that readers rely on: ids and times, and whole numbers from 0 on. */
const FORMS: ReadonlySet<unknown> = new Set([
  ...[UuidSchema, IdSchema, TimestampSchema].map((schema): unknown => Reflect.get(schema, 'pattern')),
  ...[0, Number.MAX_SAFE_INTEGER],
]);
/** Patterns of bytes in hex, as of hashes, are forms too. */
const HEX = /^\^\(?\[0-9a-f\]\{\d+\}(\)\+)?\$$/;

/** Returns whether a member of a schema is a form, which stays in the schema of a record. */
export const isForm = (value: unknown): boolean =>
  FORMS.has(value) || (typeof value === 'string' && HEX.test(value));

/**
 * Returns the schema of a body without its limits, for a record of the log that holds what was once accepted: a limit that
 * changes must not make an earlier record unreadable. Types, words, members and forms stay.
 */
export const recorded = <const T extends TSchema>(schema: T): T => copyOf(schema, withoutLimits);

/** `recorded` for each of the members of an object. */
export const recordedFields = <const T extends TProperties>(fields: T): T =>
  copyOf(fields, (_, schema) => withoutLimits('', schema));

function withoutLimits(name: string, value: unknown): unknown {
  if (LIMIT_NAMES.has(name)) return isForm(value) ? value : undefined;
  if (Array.isArray(value)) return value.map((one: unknown) => withoutLimits('', one));
  if (!isRecord(value)) return value;
  // Members of a body may have the names of limits.
  return copyOf(value, name === 'properties' ? (_, one) => withoutLimits('', one) : withoutLimits);
}

/** Copies an object with its hidden members, by which typebox knows what is optional. @param change undefined leaves a member out */
function copyOf<T extends object>(object: T, change: (name: string, value: unknown) => unknown): T {
  const members = Object.entries(Object.getOwnPropertyDescriptors(object)).flatMap(([name, member]) => {
    const value: unknown = member.enumerable === true ? change(name, member.value) : member.value;
    return value === undefined ? [] : [[name, { ...member, value }] as const];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members are there but limits, which no type shows
  return Object.defineProperties({}, Object.fromEntries(members)) as T;
}
