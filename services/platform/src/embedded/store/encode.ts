import type { Scalar } from '../../ports/document-store.ts';
import type { SqlValue } from '../sqlite.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const FALSE = Buffer.from([0]);
const TRUE = Buffer.from([1]);

/**
 * Returns the value of a column: null, integer, real, text, and a one-byte blob for a boolean, so that true differs
 * from 1 and sorts after text as in MongoDB.
 */
export function encodeScalar(value: Scalar, narrow: boolean): SqlValue {
  if (value === null) return null;
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (narrow && value.length === 36 && UUID.test(value)) return Buffer.from(value.replaceAll('-', ''), 'hex');
  return value;
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Returns an expression for the same value from the document, for a field without a column. Arrays and objects equal
 * no scalar.
 */
export function fieldExpression(field: string): string {
  const path = literal(`$.${JSON.stringify(field)}`);
  return (
    `(CASE json_type(body, ${path}) WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ` +
    `WHEN 'array' THEN x'0200' WHEN 'object' THEN x'0200' ELSE json_extract(body, ${path}) END)`
  );
}
