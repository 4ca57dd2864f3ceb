/** Returns a function that calls `make` at its first call and keeps the result. A failure is not kept. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
