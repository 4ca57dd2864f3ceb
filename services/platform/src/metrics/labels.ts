/** Allowed values of a label: a list, or the number of first distinct values. Every other value counts as `other`. */
export type LabelBounds<L extends string> = Readonly<Record<L, readonly string[] | number>>;

export const OTHER = 'other';

/** Returns a function that replaces values beyond the bounds, so that the number of time series stays bounded. */
export function boundedLabels<L extends string>(
  bounds: LabelBounds<L> | undefined,
): (labels: Readonly<Record<L, string>>) => Record<L, string> {
  const limits = Object.entries<readonly string[] | number>(bounds ?? {}).map(([name, bound]) => ({
    name,
    room: typeof bound === 'number' ? bound : 0,
    known: new Set(typeof bound === 'number' ? [] : bound),
  }));
  return (labels) => {
    const bounded: Record<string, string> = {};
    for (const { name, room, known } of limits) {
      const value: string = Reflect.get(labels, name);
      if (!known.has(value) && known.size < room) known.add(value);
      bounded[name] = known.has(value) ? value : OTHER;
    }
    return bounded;
  };
}

/** Returns every combination of listed values; none if a label has values that are not known in advance. */
export function labelCombinations<L extends string>(bounds: LabelBounds<L> | undefined): Record<L, string>[] {
  let sets: Record<string, string>[] = [{}];
  for (const [name, bound] of Object.entries<readonly string[] | number>(bounds ?? {})) {
    if (typeof bound === 'number') return [];
    sets = sets.flatMap((set) => bound.map((value) => ({ ...set, [name]: value })));
  }
  return sets;
}
