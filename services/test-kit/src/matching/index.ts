/** The assertions of a tap test that are used here. */
interface Assertions {
  match(found: unknown, pattern: unknown, ...message: [] | [string]): boolean;
  strictSame(found: unknown, wanted: unknown, ...message: [] | [string]): boolean;
}

/**
 * Asserts that a list has as many elements as there are patterns, and that each matches its pattern. `t.match` alone passes
 * when the list has further elements: with no pattern at all, for every list.
 */
export function matchList(
  t: Assertions,
  found: unknown,
  patterns: readonly unknown[],
  message = 'every element matches its pattern',
): void {
  t.match(found, patterns, message);
  const length = Array.isArray(found) ? found.length : undefined;
  if (length !== patterns.length) t.strictSame(found, patterns, `${message}, and there is no other`);
}

/** Asserts as `t.match` does, and that each list in the pattern has as many elements as the list found in its place. */
export function matchWhole(t: Assertions, found: unknown, pattern: object, message?: string): void {
  t.match(found, pattern, ...(message === undefined ? [] : [message]));
  const longer = longerLists(found, pattern, '');
  if (longer.length > 0) t.strictSame(longer, [], 'no list has further elements');
}

/** Returns a sentence for each list that has more elements than its pattern; `match` refuses those that have fewer. */
function longerLists(found: unknown, pattern: unknown, path: string): string[] {
  if (typeof pattern !== 'object' || pattern === null || typeof found !== 'object' || found === null)
    return [];
  const isLonger = Array.isArray(pattern) && Array.isArray(found) && found.length > pattern.length;
  const own = isLonger ? [`${path} has ${found.length} elements, and ${pattern.length} patterns`] : [];
  const inside = Object.entries(pattern).flatMap(([name, value]) =>
    longerLists(Reflect.get(found, name), value, `${path}/${name}`),
  );
  return [...own, ...inside];
}
