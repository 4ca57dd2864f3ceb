import type { Query } from '../../ports/document-store.ts';
import type { SqlValue } from '../sqlite.ts';
import { keyLayout, sortedOf } from './batched-index.ts';
import { compileSortField, compileWhere } from './compile.ts';
import type { CompiledWhere } from './compile.ts';
import type { CollectionLayout } from './store-protocol.ts';
import { heldOf } from './waiting-entries.ts';

/** The arguments of a call. Without a limit, the order does not count. */
export interface Wanted {
  readonly where?: Query['where'] | undefined;
  readonly sort?: Query['sort'] | undefined;
  readonly limit?: number | undefined;
}

/** A query for bodies of documents. Where the thread checks conditions itself, the query has no limit. */
export interface Select {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly contains: CompiledWhere['contains'];
}

/**
 * Returns the query for documents by a batched index: those of the entries before `first` from the sorted table, the
 * others from the entries that wait. SQLite merges both, each in order, and reads no further than the limit.
 */
export function batchedSelect(
  layout: CollectionLayout,
  { where: wanted, sort, limit }: Wanted,
  first: bigint,
): Select {
  const keys = keyLayout(layout);
  const where = compileWhere(keys, wanted);
  const limits = limit !== undefined && where.contains.length === 0;
  const direction = sort?.direction === 'desc' ? 'DESC' : 'ASC';
  const order = limit === undefined ? '' : ` ORDER BY s ${direction}, id ${direction}`;
  // CROSS JOIN keeps the order of the tables: the entries first, then their documents.
  const part = (entries: string, bound = '') =>
    `SELECT body, ${compileSortField(keys, sort)} AS s, id FROM ${entries} e ` +
    `CROSS JOIN ${layout.table} d ON d.k = e.k${where.sql}${bound}`;
  return {
    sql:
      `${part(sortedOf(layout.table), ' AND e.k < ?')} UNION ALL ${part(heldOf(layout.table))}` +
      `${order}${limits ? ' LIMIT ?' : ''}`,
    values: [...where.values, first, ...where.values, ...(limits ? [BigInt(limit)] : [])],
    contains: where.contains,
  };
}
