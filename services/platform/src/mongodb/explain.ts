import type { QueryPlan } from '../ports/document-store.ts';

interface Stage {
  readonly stage: string;
  readonly keyPattern: unknown;
  readonly indexBounds: unknown;
}

const EVERYTHING = new Set(['[MinKey, MaxKey]', '[MaxKey, MinKey]']);

/** Returns the winning plan of `explain`. */
export function planOf(explained: unknown, isNarrowed: boolean): QueryPlan {
  const stages = stagesOf(member(member(explained, 'queryPlanner'), 'winningPlan'));
  if (stages.length === 0) throw new Error('the server explains in a form that is not known');
  return {
    fullScan: stages.some((stage) => isFull(stage, isNarrowed)),
    detail: stages.map(describe).join(' <- '),
  };
}

/** Returns the stages, outermost first; the newer engine keeps them one level deeper, shards keep theirs in lists. */
function stagesOf(part: unknown): Stage[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.values(part).flatMap(stagesOf);
  const stage = member(part, 'stage');
  if (typeof stage !== 'string') return inner;
  return [
    { stage, keyPattern: member(part, 'keyPattern'), indexBounds: member(part, 'indexBounds') },
    ...inner,
  ];
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/**
 * Returns whether a stage is a full scan. A whole index counts too, unless the query has no condition and only the
 * limit bounds it.
 */
function isFull({ stage, indexBounds }: Stage, isNarrowed: boolean): boolean {
  if (stage === 'COLLSCAN') return true;
  if (!isNarrowed || typeof indexBounds !== 'object' || indexBounds === null) return false;
  return Object.values(indexBounds)
    .flat()
    .every((bound) => EVERYTHING.has(String(bound)));
}

function describe({ stage, keyPattern, indexBounds }: Stage): string {
  const parts = [keyPattern, indexBounds]
    .filter((part) => part !== undefined)
    .map((part) => JSON.stringify(part));
  return [stage, ...parts].join(' ');
}
