/** Does `work` for each item, at most `atOnce` at a time. Rejects with the first error and begins nothing after it. */
export async function inTurns(items, atOnce, work) {
  const left = items[Symbol.iterator]();
  let failed = false;
  const one = async () => {
    for (let next = left.next(); !failed && !next.done; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
