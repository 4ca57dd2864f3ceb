/** What `make` gives, made at the first call and kept. A failure is not kept. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
