/** The assertions of a tap test that are used here. */
interface Assertions {
  match(found: unknown, pattern: unknown, ...message: [] | [string]): boolean;
  strictSame(found: unknown, wanted: unknown, ...message: [] | [string]): boolean;
}

/**
 * Asserts that a list has as many elements as there are patterns, and that each matches its pattern. `t.match` alone passes
 * when the list has further elements: with no pattern at all, for every list. Texts and nulls are meant as in `matchWhole`.
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
  else strictlyMeant(t, found, patterns);
}

/**
 * Asserts as `t.match` does, and that each list in the pattern has as many elements as the list found in its place, each
 * text is that text (for `t.match`, a part of the text found is enough: ACTIVE matches NON_ACTIVE), and each null is there.
 */
export function matchWhole(t: Assertions, found: unknown, pattern: object, message?: string): void {
  t.match(found, pattern, ...(message === undefined ? [] : [message]));
  const longer = longerLists(found, pattern, '');
  if (longer.length > 0) t.strictSame(longer, [], 'no list has further elements');
  strictlyMeant(t, found, pattern);
}

function strictlyMeant(t: Assertions, found: unknown, pattern: unknown): void {
  const differences = looserMatches(found, pattern, '');
  if (differences.length > 0) t.strictSame(differences, [], 'texts are whole, and nulls are there');
}

/** Returns a sentence for each text that has its pattern only as a part, and for each null that is absent. */
function looserMatches(found: unknown, pattern: unknown, path: string): string[] {
  if (typeof pattern === 'string' && typeof found === 'string' && found !== pattern)
    return [`${path} is ${JSON.stringify(found)}, not ${JSON.stringify(pattern)} alone`];
  if (pattern === null && found === undefined) return [`${path} is absent, not null`];
  if (typeof pattern !== 'object' || pattern === null || typeof found !== 'object' || found === null)
    return [];
  return Object.entries(pattern).flatMap(([name, value]) =>
    looserMatches(Reflect.get(found, name), value, `${path}/${name}`),
  );
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
