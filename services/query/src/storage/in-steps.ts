/**
 * Takes all ids out of the set, `length` at a time, and reads them. Ids that are added meanwhile stay in the set, and those of a
 * read that failed go back. @throws what `read` throws
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
