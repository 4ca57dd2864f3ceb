/** Merges what a person changed in a form with what others changed meanwhile. */

/** How a text field holds a list. */
export interface ListText {
  of: (text: string) => readonly string[];
  text: (list: readonly string[]) => string;
}

/** A value before, as the person changed it, and as others changed it. */
interface Three<T> {
  base: T;
  mine: T;
  theirs: T;
}

/**
 * Returns the members that both kept, and those that either added. For lists whose order says nothing, as all lists of
 * our forms: a change of one member must not undo what others did to another.
 */
export function mergedList<T>({ base, mine, theirs }: Three<readonly T[]>): T[] {
  const before = new Set(base);
  const held = new Set(mine);
  const merged = new Set(theirs.filter((one) => held.has(one) || !before.has(one)));
  for (const one of mine) if (!before.has(one)) merged.add(one);
  return [...merged];
}

/** Returns a field's value: what the person changed goes before what others changed, and lists are merged. */
export function mergedValue({ base, mine, theirs }: Three<unknown>, list?: ListText): unknown {
  // By their text: kept values were read from JSON.
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
  if (isSame(mine, base) || isSame(mine, theirs)) return theirs;
  if (isSame(base, theirs)) return mine;
  if (isList(base) && isList(mine) && isList(theirs)) return mergedList({ base, mine, theirs });
  if (list === undefined || !isText(base) || !isText(mine) || !isText(theirs)) return mine;
  return list.text(mergedList({ base: list.of(base), mine: list.of(mine), theirs: list.of(theirs) }));
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
