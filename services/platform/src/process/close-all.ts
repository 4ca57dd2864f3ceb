/**
 * Closes resources one after the other, also after one that fails.
 * @param closes in the order in which they run
 * @throws unknown the first failure, after all have run
 */
export async function closeAll(closes: readonly (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closes)
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}
