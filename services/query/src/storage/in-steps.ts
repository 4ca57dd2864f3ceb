/**
 * Takes all ids out of the set, `length` at a time, and reads them. Ids added during the reads stay in the set; ids of
 * a failed read go back.
 * @throws the errors of `read`
 */
export async function inSteps(
  set: Set<string>,
  length: number,
  read: (ids: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const all = [...set];
  for (let at = 0; at < all.length; at += length) {
    const ids = all.slice(at, at + length);
    for (const id of ids) set.delete(id);
    try {
      await read(ids);
    } catch (error) {
      for (const id of ids) set.add(id);
      throw error;
    }
  }
}
