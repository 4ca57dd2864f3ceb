/** Returns the typed keys of an object. The caller guarantees that the object has only the members of its type. */
export function keysOf<T extends object>(value: T): (keyof T & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller's word, above
  return Object.keys(value) as (keyof T & string)[];
}

/** Returns a copy without the named members. */
export function omit<T extends object, K extends keyof T & string>(
  value: T,
  ...names: readonly K[]
): Omit<T, K> {
  const { ...copy }: Partial<T> = value;
  for (const name of names) delete copy[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members are there but those
  return copy as Omit<T, K>;
}
