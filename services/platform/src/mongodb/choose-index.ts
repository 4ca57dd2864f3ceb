import type { Condition, Query } from '../ports/document-store.ts';
import { isScalar } from '../ports/document-checks.ts';
import { compileSort } from './compile.ts';
import type { CollectionLayout, IndexKey, IndexLayout } from './layout.ts';
import { ID, pathOf } from './names.ts';

/**
 * Which declared index is there for a query. Calls leave the choice to the server, whose planner takes a whole scan only
 * where no index applies; `explain` asks it about this one.
 */

const BY_ID: IndexLayout = { name: '_id_', key: { [ID]: 1 }, unique: true, needs: [] };

type Kind = 'one' | 'several' | 'range' | 'search';

function kindOf(condition: Condition): Kind {
  if (isScalar(condition)) return 'one';
  if ('in' in condition) return 'several';
  return 'contains' in condition ? 'search' : 'range';
}

/** Whether a document that meets the condition surely has the field. */
function needsField(condition: Condition): boolean {
  if (condition === null) return false;
  if (isScalar(condition)) return true;
  if ('in' in condition) return !condition.in.includes(null);
  return (
    'prefix' in condition || Object.values(condition).some((bound) => bound !== undefined && bound !== null)
  );
}

interface Fit {
  readonly equal: number;
  readonly bounded: boolean;
  readonly sorted: boolean;
}

function fitOf(index: IndexLayout, kinds: ReadonlyMap<string, Kind>, sort: readonly string[]): Fit {
  const paths = Object.keys(index.key);
  const ends = paths.findIndex((path) => !['one', 'several'].includes(kinds.get(path) ?? ''));
  const equal = ends === -1 ? paths.length : ends;
  const bounded = kinds.get(paths[equal] ?? '') === 'range';
  const fixed = (path: string) => kinds.get(path) === 'one';
  const open = (list: readonly string[]) => list.filter((path) => !fixed(path));
  const order = open(paths);
  return { equal, bounded, sorted: open(sort).every((path, at) => order[at] === path) };
}

/** More equalities, then a range, then the order wanted. */
function rank({ equal, bounded, sorted }: Fit): number {
  return 4 * equal + (bounded ? 2 : 0) + (sorted ? 1 : 0);
}

/** undefined when no index narrows what is looked at, or gives the order. */
export function chooseIndex(
  layout: CollectionLayout,
  where: Query['where'],
  sort: Query['sort'],
): IndexKey | undefined {
  const conditions = Object.entries(where ?? {}) as [string, Condition][];
  const kinds = new Map(conditions.map(([field, condition]) => [pathOf(field), kindOf(condition)]));
  const present = new Set(
    conditions.filter(([, wanted]) => needsField(wanted)).map(([field]) => pathOf(field)),
  );
  const order = Object.keys(compileSort(sort));
  let best: { readonly index: IndexLayout; readonly rank: number } | undefined;
  for (const index of [BY_ID, ...layout.indexes]) {
    if (!index.needs.every((path) => present.has(path))) continue;
    const fit = fitOf(index, kinds, order);
    const isOfUse = fit.equal > 0 || fit.bounded || (kinds.size === 0 && fit.sorted);
    if (isOfUse && rank(fit) > (best?.rank ?? 0)) best = { index, rank: rank(fit) };
  }
  return best?.index.key;
}
