import type { Condition, Query, Scalar } from '../../ports/document-store.ts';
import { isScalar } from '../../ports/document-checks.ts';
import { prefixEnd } from '../../ports/text-order.ts';
import type { SqlValue } from '../sqlite.ts';
import { encodeScalar, fieldExpression } from './encode.ts';
import type { CollectionLayout } from './store-protocol.ts';

/** The empty blob sorts above every text, so no string reaches it. */
const AFTER_TEXT = "x''";
const BEFORE_TEXT = "''";

export interface CompiledWhere {
  /** Empty when there are no conditions for SQLite. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Conditions that the thread checks itself, outside SQL: lower-cased needles by field. */
  readonly contains: readonly { readonly field: string; readonly needle: string }[];
}

/** @boundedBy one query */
class Conditions {
  readonly parts: string[] = [];
  readonly values: SqlValue[] = [];

  add(sql: string, ...values: readonly SqlValue[]): void {
    this.parts.push(sql);
    this.values.push(...values);
  }
}

/** Returns the field unencoded, for ordered comparisons and output. */
function plain(layout: CollectionLayout, field: string): string {
  if (field === 'id' || field === 'rev') return field;
  const column = layout.columns.find((other) => other.field === field && !other.narrow);
  return column?.column ?? fieldExpression(field);
}

/** Returns every column that holds the field, so that any index over the field can be used. */
function holders(
  layout: CollectionLayout,
  field: string,
): { readonly sql: string; readonly narrow: boolean }[] {
  const columns = layout.columns.filter((column) => column.field === field);
  if (columns.length === 0) return [{ sql: plain(layout, field), narrow: false }];
  return columns.map(({ column, narrow }) => ({ sql: column, narrow }));
}

export function compileWhere(layout: CollectionLayout, where: Query['where']): CompiledWhere {
  const conditions = new Conditions();
  const contains: { field: string; needle: string }[] = [];
  for (const [field, condition] of Object.entries(where ?? {}) as [string, Condition][]) {
    if (isScalar(condition)) equal(layout, field, condition, conditions);
    else if ('in' in condition) oneOf(layout, field, condition.in, conditions);
    else if ('prefix' in condition) prefixed(plain(layout, field), condition.prefix, conditions);
    else if ('contains' in condition) contains.push({ field, needle: condition.contains.toLowerCase() });
    else range(plain(layout, field), condition, conditions);
  }
  const sql = conditions.parts.length === 0 ? '' : ` WHERE ${conditions.parts.join(' AND ')}`;
  return { sql, values: conditions.values, contains };
}

function equal(layout: CollectionLayout, field: string, value: Scalar, to: Conditions): void {
  for (const { sql, narrow } of holders(layout, field)) {
    if (value === null) to.add(`${sql} IS NULL`);
    else to.add(`${sql} = ?`, encodeScalar(value, narrow));
  }
}

function oneOf(layout: CollectionLayout, field: string, values: readonly Scalar[], to: Conditions): void {
  const wanted = values.filter((value) => value !== null);
  for (const { sql, narrow } of holders(layout, field)) {
    const encoded = padded(wanted.map((value) => encodeScalar(value, narrow)));
    const list = `${sql} IN (${encoded.map(() => '?').join(', ')})`;
    to.add(values.includes(null) ? `(${list} OR ${sql} IS NULL)` : list, ...encoded);
  }
}

/** Repeats the last value up to the next power of two, so that few statements serve all lengths. */
export function padded<Value extends SqlValue>(values: readonly Value[]): Value[] {
  const last = values.at(-1);
  if (last === undefined) return [];
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array.from({ length: length - values.length }, () => last)];
}

function prefixed(sql: string, prefix: string, to: Conditions): void {
  const after = prefixEnd(prefix);
  if (after === undefined) to.add(`${sql} >= ? AND ${sql} < ${AFTER_TEXT}`, prefix);
  else to.add(`${sql} >= ? AND ${sql} < ?`, prefix, after);
}

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Adds a range, which matches only values of its bounds' type, as in MongoDB; a null bound matches nothing. */
function range(sql: string, bounds: Partial<Record<keyof typeof OPERATORS, Scalar>>, to: Conditions): void {
  for (const [name, operator] of Object.entries(OPERATORS)) {
    const value = bounds[name as keyof typeof OPERATORS];
    if (value === undefined) continue;
    to.add(`${sql} ${operator} ?`, encodeScalar(value, false));
    if (typeof value === 'number') to.add(`${sql} < ${BEFORE_TEXT}`);
    if (typeof value === 'string')
      to.add(`${sql} ${name.startsWith('g') ? `< ${AFTER_TEXT}` : `>= ${BEFORE_TEXT}`}`);
    if (typeof value === 'boolean') to.add(`${sql} >= x'00' AND ${sql} <= x'01'`);
  }
}

export function compileOrder(layout: CollectionLayout, sort: Query['sort']): string {
  const direction = sort?.direction === 'desc' ? 'DESC' : 'ASC';
  if (sort === undefined || sort.field === 'id') return ` ORDER BY id ${direction}`;
  return ` ORDER BY ${compileSortField(layout, sort)} ${direction}, id ${direction}`;
}

/** Returns the value by which documents are sorted. */
export function compileSortField(layout: CollectionLayout, sort: Query['sort']): string {
  return plain(layout, sort?.field ?? 'id');
}
