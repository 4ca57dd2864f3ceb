import type { Test } from 'tap';

/**
 * Asserts that a list has as many elements as there are patterns, and that each matches its pattern. `t.match` alone passes
 * when the list has further elements: with no pattern at all, for every list.
 */
export function matchList(
  t: Pick<Test, 'match' | 'strictSame'>,
  found: unknown,
  patterns: readonly unknown[],
  message = 'every element matches its pattern',
): void {
  t.match(found, patterns, message);
  const length = Array.isArray(found) ? found.length : undefined;
  if (length !== patterns.length) t.strictSame(found, patterns, `${message}, and there is no other`);
}
