import type { Condition, Query, Scalar } from '../ports/document-store.ts';
import { isScalar } from '../ports/document-checks.ts';
import { prefixEnd } from '../ports/text-order.ts';
import { encodeScalar } from './encode.ts';
import { ID, pathOf } from './names.ts';

export type Filter = Record<string, unknown>;

const NOTHING: Filter = { $in: [] };
const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const;

/**
 * Translates conditions for MongoDB. Arrays and objects equal no scalar in the port, while MongoDB looks into arrays:
 * only fields of an index are known to hold no arrays.
 */
export function compileWhere(where: Query['where'], indexed: ReadonlySet<string>): Filter {
  const filter: Filter = {};
  for (const [field, condition] of Object.entries(where ?? {}) as [string, Condition][]) {
    const wanted = compileCondition(condition);
    if (wanted === undefined) continue;
    const guard = field === 'id' || indexed.has(field) ? {} : { $not: { $type: 'array' } };
    filter[pathOf(field)] = { ...wanted, ...guard };
  }
  return filter;
}

/** Returns undefined for a condition that is always true. */
function compileCondition(condition: Condition): Filter | undefined {
  if (isScalar(condition)) return { $eq: encodeScalar(condition) };
  if ('in' in condition) return { $in: condition.in.map(encodeScalar) };
  if ('prefix' in condition) return prefixed(condition.prefix);
  if ('contains' in condition) return { $regex: literally(condition.contains), $options: 'i' };
  return range(condition);
}

/** Matches a prefix as a range, which an index serves for every prefix. */
function prefixed(prefix: string): Filter {
  const after = prefixEnd(prefix);
  return after === undefined ? { $gte: prefix } : { $gte: prefix, $lt: after };
}

/**
 * Translates a range. MongoDB compares within a type only, as the port does; but `$gte: null` matches null in
 * MongoDB.
 */
function range(bounds: Partial<Record<(typeof BOUNDS)[number], Scalar>>): Filter | undefined {
  const filter: Filter = {};
  for (const name of BOUNDS) {
    const value = bounds[name];
    if (value === undefined) continue;
    if (value === null) return NOTHING;
    filter[`$${name}`] = value;
  }
  return Object.keys(filter).length === 0 ? undefined : filter;
}

/** Returns a pattern (PCRE2) that matches the text literally: a person's input is never an expression. */
function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/#-]/g, '\\$&').replaceAll('\0', '\\x00');
}

export function compileSort(sort: Query['sort']): Record<string, 1 | -1> {
  const direction = sort?.direction === 'desc' ? -1 : 1;
  const path = pathOf(sort?.field ?? 'id');
  return path === ID ? { [ID]: direction } : { [path]: direction, [ID]: direction };
}
