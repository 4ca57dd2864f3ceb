/** Values that a label may have: these, or the first so many different ones. Every other value counts as `other`. */
export type LabelBounds<L extends string> = Readonly<Record<L, readonly string[] | number>>;

export const OTHER = 'other';

/** Keeps the number of time series bounded whatever a caller passes. */
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

/** Every set of values that the bounds name; none where a label may have values that are not known before. */
export function everySet<L extends string>(bounds: LabelBounds<L> | undefined): Record<L, string>[] {
  let sets: Record<string, string>[] = [{}];
  for (const [name, bound] of Object.entries<readonly string[] | number>(bounds ?? {})) {
    if (typeof bound === 'number') return [];
    sets = sets.flatMap((set) => bound.map((value) => ({ ...set, [name]: value })));
  }
  return sets;
}
