import { LIMITS } from '@sentinel-node/contracts';
import type { CollectionSpec, Condition, Query } from './document-store.ts';
import { isScalar } from './document-checks.ts';
import { QueryRefusedError } from './errors.ts';

/** Refuses queries that no adapter of DocumentStore allows. */

/** @throws QueryRefusedError */
export function checkQuery(indexes: CollectionSpec['indexes'], query: Query): void {
  const { limit } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMITS.findDocuments)
    throw new QueryRefusedError(`limit must be 1 to ${LIMITS.findDocuments}`);
  checkWhere(indexes, query.where);
}

/** @throws QueryRefusedError */
export function checkWhere(indexes: CollectionSpec['indexes'], where: Query['where']): void {
  const conditions = Object.entries(where ?? {}) as [string, Condition | undefined][];
  for (const [field, condition] of conditions)
    if (condition === undefined) throw new QueryRefusedError(`the condition on ${field} is undefined`);
  if (!conditions.some(([, condition]) => !isScalar(condition) && 'contains' in condition!)) return;
  const leading = new Set(['id', ...indexes.map((index) => index.fields[0])]);
  const narrowed = conditions.some(
    ([field, condition]) => isScalar(condition) && condition !== null && leading.has(field),
  );
  if (!narrowed) throw new QueryRefusedError('contains needs an equality on an indexed field');
}
